import { ustar } from "../../../domain/ustar.ts";
import type { DeviceFileContent } from "./device-file-content.ts";
import { pemOfCas } from "./pem-of-cas.ts";
import { uuidOf } from "./uuid.ts";

const folder = "/etc/NetworkManager/system-connections";

/**
 * Returns an archive (tar) for NetworkManager's directory of connections: one keyfile for each network, readable only
 * by root, since NetworkManager ignores keyfiles that others can read. A second installation replaces the first,
 * because names and UUIDs depend on domain and network. The PKCS#12 is in the keyfile twice, because certificate and
 * key must be the same blob. The CAs are in a separate file, because wpa_supplicant reads only one certificate of an
 * embedded CA. Connections have no `permissions`, because NetworkManager would pass the files of a user's own
 * connection as blobs as well. Wired networks also work without 802.1X.
 */
export function networkmanager(content: DeviceFileContent): Uint8Array {
  const { network, notBefore, pkcs12, password } = content;
  const { domain, ssids, wired, radiusNames, radiusCas } = network;
  const stem = `realmpass-${domain}`;
  const caFile = `${stem}-ca.pem`;
  const blob = `data:;base64,${pkcs12.toString("base64")}`;
  const eap = [
    "eap=tls;",
    `identity=@${domain}`,
    `ca-cert=${folder}/${caFile}`,
    `domain-match=${radiusNames.join(";")}`,
    `client-cert=${blob}`,
    `private-key=${blob}`,
    `private-key-password=${password}`,
  ];
  const connection = (id: string, type: string, uuid: string): string[] => [
    "[connection]",
    `id=${escaped(id)}`,
    `uuid=${uuidOf(uuid).toLowerCase()}`,
    `type=${type}`,
  ];
  const wireless = ssids.map((ssid) => [
    ...connection(ssid, "wifi", `${domain} ${ssid}`),
    ...["", "[wifi]", "mode=infrastructure", `ssid=${octetsOf(ssid)}`],
    ...["", "[wifi-security]", "key-mgmt=wpa-eap"],
    ...["", "[802-1x]", ...eap],
  ]);
  const cables = wired
    ? [[...connection(`${domain} (LAN)`, "ethernet", `${domain} wired`), "", "[802-1x]", "optional=true", ...eap]]
    : [];
  const file = (name: string, text: string) => ({
    name,
    content: Buffer.from(text, "utf8"),
    isExecutable: false,
    isPrivate: true,
    changedAt: notBefore,
  });
  return ustar([
    file(caFile, pemOfCas(radiusCas)),
    ...[...wireless, ...cables].map((lines, index) =>
      file(`${stem}-${String(index + 1)}.nmconnection`, [...lines, ""].join("\n")),
    ),
  ]);
}

/** A list of octets, because text would need special escapes. */
const octetsOf = (ssid: string): string => [...Buffer.from(ssid, "utf8")].map((octet) => `${octet};`).join("");

/** Escapes a text for a value of a keyfile (GKeyFile). */
const escaped = (text: string): string =>
  text.replaceAll("\\", String.raw`\\`).replace(/^ +/, (blanks) => String.raw`\s`.repeat(blanks.length));
