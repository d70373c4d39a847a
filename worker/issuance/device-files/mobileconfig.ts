import type { DeviceFileContent, RadiusCa } from "./device-file-content.ts";
import { encodePlist, type PlistDictionary } from "./plist.ts";
import { uuidOf } from "./uuid.ts";

const eapTls = 13;

/**
 * The payload for every Ethernet adapter of a Mac, since macOS 10.13 (Apple, Device Management, `8021XGlobalEthernet`).
 * `com.apple.firstactiveethernet.managed` counts only for the adapter that is active when the profile is installed. iOS
 * and iPadOS have this payload since 17; older versions may refuse a profile with a payload that they do not know.
 */
const ethernetType = "com.apple.globalethernet.managed";
const ethernet: PlistDictionary = { Interface: "GlobalEthernet", AutoJoin: true };

/**
 * Returns an Apple configuration profile. It contains the PKCS#12 with its password; the RADIUS server's CAs; the
 * profile's own issuing CA, which the device sends with its certificate (RFC 8446 section 4.4.2); one Wi-Fi payload for
 * each network and one for all roaming consortiums; and, for a Mac in a realm with wired networks, one payload for
 * Ethernet. Each network payload allows only EAP-TLS, with the certificate in the PKCS#12 and with the named server
 * under the RADIUS server's CAs. Identifiers and UUIDs are derived from the profile's identity. The outer identity is
 * the domain without a user name (RFC 9190 section 2.1.8); devices that use an outer identity only for tunnelled
 * methods send the certificate's own identity, which is a random pseudonym.
 */
export function mobileconfig(content: DeviceFileContent): string {
  const { network, deviceType, identity, friendlyName, notAfter, pkcs12, password } = content;
  const { displayName, domain, ssids, wired, radiusNames, radiusCas, rcois } = network;
  const profile = profileIdentifier(content);
  const payload = (role: string, type: string, name: string): PlistDictionary => ({
    PayloadType: type,
    PayloadVersion: 1,
    PayloadIdentifier: `${profile}.${role}`,
    PayloadUUID: uuidOf(`${profile}.${role}`),
    PayloadDisplayName: name,
  });

  const certificate: PlistDictionary = {
    ...payload("identity", "com.apple.security.pkcs12", friendlyName),
    PayloadCertificateFileName: "profile.p12",
    PayloadContent: pkcs12,
    Password: password,
  };
  const named = new Set(radiusCas.map((ca) => ca.certificate));
  const ownChain = content.chain
    .map((der) => ({ certificate: Buffer.from(der).toString("base64"), selfSigned: false }))
    .filter((ca) => !named.has(ca.certificate));
  const cas = [...radiusCas, ...ownChain].map((ca, index): PlistDictionary => {
    const name = `${displayName} CA ${String(index + 1)}`;
    return {
      ...payload(
        `ca-${String(index + 1)}`,
        ca.selfSigned ? "com.apple.security.root" : "com.apple.security.pkcs1",
        name,
      ),
      PayloadCertificateFileName: `ca-${String(index + 1)}.cer`,
      PayloadContent: Buffer.from(ca.certificate, "base64"),
    };
  });
  const anchors = radiusCas.flatMap((_, index) =>
    isAnchor(radiusCas, index) ? (cas[index]?.["PayloadUUID"] ?? "") : [],
  );
  const authentication: PlistDictionary = {
    EAPClientConfiguration: {
      AcceptEAPTypes: [eapTls],
      OuterIdentity: `@${domain}`,
      TLSTrustedServerNames: radiusNames,
      PayloadCertificateAnchorUUID: anchors,
      TLSAllowTrustExceptions: false,
      TLSMinimumVersion: "1.2",
      TLSMaximumVersion: "1.3",
    },
    PayloadCertificateUUID: certificate["PayloadUUID"] ?? "",
  };
  const networks = ssids.map((ssid, index): PlistDictionary => ({
    ...payload(`wifi-${String(index + 1)}`, "com.apple.wifi.managed", ssid),
    SSID_STR: ssid,
    HIDDEN_NETWORK: false,
    AutoJoin: true,
    EncryptionType: "WPA2",
    ...authentication,
  }));
  const roaming =
    rcois.length === 0
      ? []
      : [
          {
            ...payload("passpoint", "com.apple.wifi.managed", `${displayName} (Passpoint)`),
            IsHotspot: true,
            ServiceProviderRoamingEnabled: true,
            DomainName: domain,
            RoamingConsortiumOIs: rcois,
            DisplayedOperatorName: displayName,
            AutoJoin: true,
            EncryptionType: "WPA2",
            ...authentication,
          },
        ];
  const cables =
    wired && deviceType === "MacOS"
      ? [{ ...payload("ethernet", ethernetType, `${displayName} (Ethernet)`), ...ethernet, ...authentication }]
      : [];
  const joined = [...ssids, ...cables.map(() => "wired networks")].join(", ");

  return encodePlist({
    PayloadType: "Configuration",
    PayloadVersion: 1,
    PayloadIdentifier: profile,
    PayloadUUID: uuidOf(profile),
    PayloadDisplayName: displayName,
    PayloadOrganization: displayName,
    PayloadDescription: `Connects this device to ${joined} as ${identity}.`,
    PayloadRemovalDisallowed: false,
    ExpirationDate: notAfter,
    PayloadContent: [certificate, ...cas, ...networks, ...roaming, ...cables],
  });
}

/** A root anchors trust; without a root, every named CA does. */
const isAnchor = (cas: readonly RadiusCa[], index: number): boolean =>
  cas.some(({ selfSigned }) => selfSigned) ? cas[index]?.selfSigned === true : true;

/** Returns the realm's domain in Apple's order, then the random label of the profile's identity. */
function profileIdentifier({ network: { domain }, identity }: DeviceFileContent): string {
  const [label] = identity.split("@");
  return [...domain.split(".").reverse(), "realmpass", label].join(".");
}
