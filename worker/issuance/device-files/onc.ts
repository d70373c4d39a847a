import type { DeviceFileContent } from "./device-file-content.ts";
import { uuidOf } from "./uuid.ts";

/**
 * Returns an Open Network Configuration (chromium, components/onc/docs/onc_spec.md) for ChromeOS: the certificates, and
 * each Wi-Fi network with EAP-TLS, trusting only the named servers under the RADIUS server's CAs. The password of its
 * PKCS#12 must be empty. The file is not encrypted, because its passphrase would be shown on the same page. `Identity`,
 * the domain without a user name, is allowed only with `SaveCredentials`.
 */
export function onc({ network, identity, pkcs12 }: Pick<DeviceFileContent, "network" | "identity" | "pkcs12">): string {
  const { domain, ssids, radiusNames, radiusCas } = network;
  const guid = (role: string): string => `{${uuidOf(`${identity} ${role}`).toLowerCase()}}`;
  const client = guid("client");
  const authorities = radiusCas.map(({ certificate }, index) => ({
    GUID: guid(`ca ${String(index + 1)}`),
    Type: "Authority",
    X509: certificate,
  }));
  const networks = ssids.map((ssid) => ({
    // Every profile of the realm has the same GUID for this network, so a second import replaces the network.
    GUID: `{${uuidOf(`${domain} ${ssid}`).toLowerCase()}}`,
    Name: ssid,
    Type: "WiFi",
    WiFi: {
      AutoConnect: true,
      HexSSID: Buffer.from(ssid, "utf8").toString("hex").toUpperCase(),
      Security: "WPA-EAP",
      EAP: {
        Outer: "EAP-TLS",
        Identity: `@${domain}`,
        SaveCredentials: true,
        ClientCertType: "Ref",
        ClientCertRef: client,
        ServerCARefs: authorities.map(({ GUID }) => GUID),
        UseSystemCAs: false,
        SubjectAlternativeNameMatch: radiusNames.map((name) => ({ Type: "DNS", Value: name })),
      },
    },
  }));
  const configuration = {
    Type: "UnencryptedConfiguration",
    NetworkConfigurations: networks,
    Certificates: [...authorities, { GUID: client, Type: "Client", PKCS12: pkcs12.toString("base64") }],
  };
  return `${JSON.stringify(configuration, null, 2)}\n`;
}
