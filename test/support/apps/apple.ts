import { bundleOfMobileconfig, openBundle, readPlist } from "../pki/device-file-reader.ts";
import type { App } from "./app.ts";
import {
  certificateIn,
  eapTlsMethod,
  firstProvider,
  isBase64,
  opened,
  refuse,
  requireTripleDes,
  strictBase64,
  type Network,
} from "./eap-config-rules.ts";
import { elementsAt, textAt, type XmlElement } from "./read-xml.ts";

const headersOf = (userAgent: string) => ({
  Accept: "*/*",
  "User-Agent": userAgent,
  "Accept-Language": "en-GB,en;q=0.9",
  "Accept-Encoding": "gzip, deflate, br",
});

/** Returns what the apps for iOS and macOS share: URLSession times out after a minute, and AppAuth for iOS signs in. */
const apple = (userAgent: string): Omit<App, "name" | "fetches" | "read"> => ({
  clientId: "app.eduroam.geteduroam",
  redirect: { scheme: "app.eduroam.geteduroam:/" },
  address: (typed) => (typed.split("/")[0]?.includes(".") === true ? `https://${typed}` : refuse("no dot in the host")),
  discovery: { headers: headersOf(userAgent), withinMs: 60_000, isJson: () => true },
  parameters: [
    "response_type",
    "code_challenge_method",
    "scope",
    "code_challenge",
    "redirect_uri",
    "client_id",
    "state",
    "nonce",
  ],
  token: {
    headers: { ...headersOf(userAgent), "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8" },
    withinMs: 60_000,
    fields: ["code", "code_verifier", "redirect_uri", "client_id", "grant_type"],
    needs: ["access_token", "token_type"],
  },
  file: { headers: headersOf(userAgent), withinMs: 60_000 },
  failure: () => undefined,
});

/** geteduroam for iOS 2.5. Like Android it ignores the status: it notices a refusal because the file does not parse. */
export const ios: App = {
  ...apple("geteduroam/25 CFNetwork/1568.200.51 Darwin/24.1.0"),
  name: "iOS",
  fetches: ["eap-config"],
  read: readOnIos,
};

/** geteduroam for macOS 2.5: fetches the file that System Settings opens, once to check it and once to open it. */
export const macos: App = {
  ...apple("geteduroam/25 CFNetwork/1568.200.51 Darwin/24.1.0"),
  name: "macOS",
  fetches: ["mobileconfig", "mobileconfig"],
  failure: ({ status }) => (status < 200 || status > 299 ? "No valid profile found." : undefined),
  read: readMobileconfig,
};

const rsnProtocols: readonly (string | undefined)[] = [undefined, "TKIP", "CCMP"];

function validUntilOf(provider: XmlElement): Date | undefined {
  const text = textAt(provider, "ValidUntil");
  if (text === undefined) return undefined;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? new Date(text) : refuse("ValidUntil is not in whole seconds");
}

function readOnIos(file: Buffer, now: Date): Network {
  const provider = firstProvider(file);
  if (provider.attributes["ID"] === undefined) refuse("no ID");
  const networks = elementsAt(provider, "CredentialApplicability", "IEEE80211");
  if (!networks.every((network) => rsnProtocols.includes(textAt(network, "MinRSNProto"))))
    refuse("an unknown MinRSNProto");
  const validUntil = validUntilOf(provider);
  if (validUntil !== undefined && validUntil < now) refuse("ValidUntil is past");

  const method = eapTlsMethod(provider);
  const cas = elementsAt(method, "ServerSideCredential", "CA").flatMap((ca) => {
    const certificate = isBase64("X.509", ca) ? certificateIn(strictBase64(ca.text)) : undefined;
    return certificate === undefined ? [] : [certificate.raw];
  });
  if (cas.length === 0) refuse("no CA");

  const [credential] = elementsAt(method, "ClientSideCredential");
  const certificate = elementsAt(credential, "ClientCertificate").find((element) => isBase64("PKCS12", element));
  // `Data(base64Encoded:)!` crashes the app if the text is not base64.
  const pkcs12 = strictBase64(certificate?.text ?? refuse("no PKCS#12 file")) ?? refuse("the app crashes");
  const passphrase = textAt(credential, "Passphrase") ?? "";
  if (passphrase === "") refuse("no passphrase");
  const device = opened(pkcs12, passphrase);
  requireTripleDes(device);
  requireChain(device.certificates.length);
  return {
    ssids: networks.flatMap((network) => elementsAt(network, "SSID").map(({ text }) => text)),
    rcois: networks.flatMap((network) => elementsAt(network, "ConsortiumOID").map(({ text }) => text.toUpperCase())),
    serverNames: elementsAt(method, "ServerSideCredential", "ServerID").map(({ text }) => text),
    cas,
    identity: undefined,
    device,
    validUntil,
  };
}

/** Refuses a file without the issuing CA, because the system looks for the issuing CA only in the file. */
function requireChain(certificates: number): void {
  if (certificates < 2) refuse("no trust chain");
}

/** Returns what System Settings sets up from a configuration profile. */
function readMobileconfig(file: Buffer): Network {
  const profile = readPlist(file);
  const payloads = profile["PayloadContent"] as Record<string, unknown>[];
  const ofType = (...types: string[]) => payloads.filter(({ PayloadType }) => types.includes(String(PayloadType)));
  const networks = ofType("com.apple.wifi.managed");
  const settings = networks[0]?.["EAPClientConfiguration"] as Record<string, unknown> | undefined;
  // The issuing CA has a separate payload.
  const device = openBundle(bundleOfMobileconfig(profile)) ?? refuse("the password does not open the PKCS#12 file");
  return {
    ssids: networks.flatMap(({ SSID_STR }) => (typeof SSID_STR === "string" ? [SSID_STR] : [])),
    rcois: networks.flatMap(({ RoamingConsortiumOIs }) => (RoamingConsortiumOIs as string[] | undefined) ?? []),
    serverNames: (settings?.["TLSTrustedServerNames"] as string[] | undefined) ?? [],
    cas: ofType("com.apple.security.root", "com.apple.security.pkcs1").map(({ PayloadContent }) =>
      Buffer.from((PayloadContent as { data: string }).data, "base64"),
    ),
    identity: undefined,
    device,
    validUntil: undefined,
  };
}
