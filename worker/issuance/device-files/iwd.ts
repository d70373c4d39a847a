import { ustar } from "../../../domain/ustar.ts";
import { pem } from "../../../pki/pem.ts";
import type { DeviceFileContent } from "./device-file-content.ts";
import { pemOfCas } from "./pem-of-cas.ts";

interface IwdContent extends Pick<DeviceFileContent, "network" | "notBefore" | "chain"> {
  certificate: Uint8Array;
  privateKeyPkcs8: Uint8Array;
}

/**
 * Returns an archive (tar) for iwd's directory of networks (iwd.network(5)): one file for each network, readable only
 * by root. Key and certificates are PEM in separate groups. The key must be RSA: ell, iwd's library, cannot sign with
 * any other type of key. Wired networks would need files of another program, ead.
 */
export function iwd({ network, notBefore, chain, certificate, privateKeyPkcs8 }: IwdContent): Uint8Array {
  const { domain, ssids, radiusNames, radiusCas } = network;
  const text = [
    "[Security]",
    "EAP-Method=TLS",
    `EAP-Identity=@${domain}`,
    "EAP-TLS-CACert=embed:ca",
    "EAP-TLS-ClientCert=embed:client",
    "EAP-TLS-ClientKey=embed:key",
    `EAP-TLS-ServerDomainMask=${radiusNames.join(";")}`,
    "",
    "[Settings]",
    "AutoConnect=true",
    "",
    "[@pem@ca]",
    pemOfCas(radiusCas),
    "[@pem@client]",
    [certificate, ...chain].map((der) => pem("CERTIFICATE", der)).join(""),
    "[@pem@key]",
    pem("PRIVATE KEY", privateKeyPkcs8),
  ].join("\n");
  const content = Buffer.from(text, "utf8");
  return ustar(
    ssids.map((ssid) => ({
      name: `${fileNameOf(ssid)}.8021x`,
      content,
      isExecutable: false,
      isPrivate: true,
      changedAt: notBefore,
    })),
  );
}

/** Returns the network's name as iwd writes it in the names of files. */
const fileNameOf = (ssid: string): string =>
  /^[A-Za-z0-9 _-]+$/.test(ssid) ? ssid : `=${Buffer.from(ssid, "utf8").toString("hex")}`;
