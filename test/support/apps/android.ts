import type { App } from "./app.ts";
import {
  certificateIn,
  eapTlsMethod,
  firstProvider,
  isSelfSigned,
  looseBase64,
  opened,
  refuse,
  requireTripleDes,
  type Network,
} from "./eap-config-rules.ts";
import { elementsAt, textAt, type XmlElement } from "./read-xml.ts";

const userAgent = "geteduroam-android/2.3.0 (230; Android 14; Google shiba Pixel 8)";

/** geteduroam for Android 2.3.0: Retrofit, AppAuth for Android and OkHttp. */
export const android: App = {
  name: "Android",
  clientId: "app.eduroam.geteduroam",
  redirect: { scheme: "app.eduroam.geteduroam:/" },
  address: (typed) => `https://${typed}`,
  discovery: {
    headers: { Accept: "application/json", "User-Agent": userAgent, "Accept-Encoding": "gzip" },
    withinMs: 30_000,
    isJson: () => true,
  },
  parameters: [
    "redirect_uri",
    "client_id",
    "response_type",
    "state",
    "nonce",
    "scope",
    "code_challenge",
    "code_challenge_method",
  ],
  token: {
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Accept: "application/json",
      "User-Agent": "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/AP2A.240805.005)",
      "Accept-Encoding": "gzip",
    },
    withinMs: 10_000,
    fields: ["redirect_uri", "client_id", "grant_type", "code", "code_verifier"],
    // A token without an expiry would be used again and again, without another sign-in.
    needs: ["access_token", "token_type", "expires_in"],
  },
  file: { headers: { "User-Agent": userAgent, "Accept-Encoding": "gzip" }, withinMs: 10_000 },
  fetches: ["eap-config"],
  // The app ignores the status: it notices a refusal because the file does not parse.
  failure: () => undefined,
  read: readOnAndroid,
};

/** The most characters that Android accepts in the joined names of the servers. */
const serverNamesCharsMax = 255;

/** Elements of the format whose content is text: the app's XML library refuses them if they are empty. */
const isEmptyText = ({ name, text, children }: XmlElement): boolean =>
  children.length === 0 && text === "" && name !== "IEEE8023";

const anyElement = (element: XmlElement, is: (element: XmlElement) => boolean): boolean =>
  is(element) || element.children.some((child) => anyElement(child, is));

function readOnAndroid(file: Buffer): Network {
  const provider = firstProvider(file);
  for (const name of ["ID", "namespace", "version"]) if (provider.attributes[name] === undefined) refuse(`no ${name}`);
  if (!/^-?[0-9]+$/.test(provider.attributes["version"] ?? "")) refuse("the version is no number");
  if (elementsAt(provider, "ProviderInfo").length === 0) refuse("no ProviderInfo");
  if (anyElement(provider, isEmptyText)) refuse("an empty element");

  const method = eapTlsMethod(provider);
  const cas = elementsAt(method, "ServerSideCredential", "CA")
    .map(({ text }) => certificateIn(looseBase64(text)))
    .filter((certificate) => certificate?.ca === true);
  if (cas.length === 0) refuse("no CA");
  const serverNames = elementsAt(method, "ServerSideCredential", "ServerID").map(({ text }) => text);
  if (serverNames.length === 0) refuse("no ServerID");
  if (serverNames.join(";").length > serverNamesCharsMax) refuse("the names of the servers are too long");

  const networks = elementsAt(provider, "CredentialApplicability", "IEEE80211");
  const rcois = networks.flatMap((network) => elementsAt(network, "ConsortiumOID").map(({ text }) => text));
  if (!rcois.every((rcoi) => /^[0-9a-f]+$/i.test(rcoi))) refuse("a ConsortiumOID is not hexadecimal");
  const anchors = cas.filter((certificate) => certificate !== undefined && isSelfSigned(certificate));
  if (rcois.length > 0 && anchors.length !== 1) refuse("Passpoint needs exactly one self-signed CA");

  const [credential] = elementsAt(method, "ClientSideCredential");
  const pkcs12 = looseBase64(textAt(credential, "ClientCertificate") ?? "") ?? refuse("no PKCS#12 file");
  const device = opened(pkcs12, textAt(credential, "Passphrase") ?? "");
  requireTripleDes(device);

  const validUntil = textAt(provider, "ValidUntil");
  return {
    ssids: networks.flatMap((network) => elementsAt(network, "SSID").map(({ text }) => text)),
    rcois,
    serverNames,
    cas: cas.flatMap((certificate) => certificate?.raw ?? []),
    identity: textAt(credential, "OuterIdentity"),
    device,
    validUntil:
      validUntil === undefined ? undefined : new Date(`${validUntil.slice(0, "2027-01-31T00:00:00".length)}Z`),
  };
}
