import type { DeviceFileContent } from "./device-file-content.ts";
import { element, xmlDeclaration, type Xml } from "./xml.ts";

const eapTls = "13";
const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance";

const leaf = (name: string, text: string): Xml => element(name, {}, text);
const given = (name: string, text: string): Xml[] => (text === "" ? [] : [element(name, { lang: "any" }, text)]);
const inside = (name: string, ...children: readonly Xml[]): Xml => element(name, {}, children);
const encoded = (name: string, format: string, base64: string): Xml =>
  element(name, { format, encoding: "base64" }, base64);

const dayMs = 86_400_000;

/**
 * Returns EAP metadata (draft-winter-opsawg-eap-metadata) as geteduroam and related apps read it: one provider, only
 * EAP-TLS, each Wi-Fi network and each roaming consortium with CCMP or better and, in a realm with wired networks,
 * `IEEE8023`. The outer identity is the domain without a user name (RFC 9190 section 2.1.8). A root comes first among
 * the CAs, since some readers take only the first. `ValidUntil` is not the certificate's end but the time at which apps
 * remind people; it is in whole seconds, because Apple's app refuses a fraction. `IEEE8023` has no `NetworkID`: that
 * would be a condition, and the Android app refuses an element in a network that Wi-Fi networks do not have. An element
 * for a text is never empty, because the Android app would refuse the file.
 */
export function eapConfig({ network, notBefore, notAfter, pkcs12, password }: DeviceFileContent): string {
  const { displayName, domain, ssids, wired, radiusNames, radiusCas, rcois, help, reminderLeadDays } = network;
  const method = inside(
    "AuthenticationMethod",
    inside("EAPMethod", leaf("Type", eapTls)),
    inside(
      "ServerSideCredential",
      ...radiusCas.map(({ certificate }) => encoded("CA", "X.509", certificate)),
      ...radiusNames.map((name) => leaf("ServerID", name)),
    ),
    inside(
      "ClientSideCredential",
      leaf("OuterIdentity", `@${domain}`),
      encoded("ClientCertificate", "PKCS12", pkcs12.toString("base64")),
      leaf("Passphrase", password),
    ),
  );
  const networks = [
    ...ssids.map((ssid) => inside("IEEE80211", leaf("SSID", ssid), leaf("MinRSNProto", "CCMP"))),
    ...rcois.map((rcoi) => inside("IEEE80211", leaf("ConsortiumOID", rcoi), leaf("MinRSNProto", "CCMP"))),
    ...(wired ? [inside("IEEE8023")] : []),
  ];
  const helpdesk = [
    ...given("EmailAddress", help.mail),
    ...given("WebAddress", help.web),
    ...given("Phone", help.phone),
  ];
  const lead = Math.min(reminderLeadDays * dayMs, (notAfter.getTime() - notBefore.getTime()) / 3);
  const validUntil = new Date(notAfter.getTime() - lead);
  const provider = element("EAPIdentityProvider", { version: "1", ID: domain, namespace: "urn:RFC4282:realm" }, [
    leaf("ValidUntil", `${validUntil.toISOString().slice(0, "2027-01-31T00:00:00".length)}Z`),
    inside("AuthenticationMethods", method),
    inside("CredentialApplicability", ...networks),
    inside(
      "ProviderInfo",
      element("DisplayName", { lang: "any" }, displayName),
      ...(helpdesk.length === 0 ? [] : [inside("Helpdesk", ...helpdesk)]),
    ),
  ]);
  const root = { "xmlns:xsi": schemaInstance, "xsi:noNamespaceSchemaLocation": "eap-metadata.xsd" };
  return `${xmlDeclaration}${element("EAPIdentityProviderList", root, [provider])}\n`;
}
