import type { App } from "./app.ts";
import {
  certificateIn,
  eapTlsMethod,
  firstProvider,
  isBase64,
  looseBase64,
  opened,
  refuse,
  type Network,
} from "./eap-config-rules.ts";
import { elementsAt, textAt } from "./read-xml.ts";

/** geteduroam-cli 0.14, started with `-u`: Go's HTTP client and the library eduoauth-go. */
export const linux: App = {
  name: "Linux",
  clientId: "app.geteduroam.sh",
  redirect: { loopback: "127.0.0.1", port: () => 0 },
  address: (typed) => typed.replace(/^http:/, "https:"),
  discovery: {
    headers: {
      "User-Agent": "Go-http-client/1.1",
      Accept: ["application/json", "application/eap-config"],
      "Accept-Encoding": "gzip",
    },
    withinMs: 10_000,
    // The app compares the whole header, so it does not recognize a type with a charset.
    isJson: (contentType) => contentType === "application/json",
  },
  // Go's url.Values writes names in alphabetical order.
  parameters: [
    "client_id",
    "code_challenge",
    "code_challenge_method",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
  ],
  token: {
    headers: {
      "User-Agent": "Go-http-client/1.1",
      "Content-Type": "application/x-www-form-urlencoded",
      "Accept-Encoding": "gzip",
    },
    fields: ["client_id", "code", "code_verifier", "grant_type", "redirect_uri"],
    needs: ["access_token", "expires_in"],
  },
  file: { headers: { "User-Agent": "Go-http-client/1.1", "Accept-Encoding": "gzip" } },
  fetches: ["eap-config"],
  // For an error, the app shows the status and the body.
  failure: ({ status, body }) => (status < 200 || status > 299 ? `${status}: ${body.toString()}` : undefined),
  read: readOnLinux,
};

const minutesAheadMax = 5;

function readOnLinux(file: Buffer, now: Date): Network {
  const provider = firstProvider(file);
  const networks = elementsAt(provider, "CredentialApplicability", "IEEE80211")
    .map((element) => ({ ssid: textAt(element, "SSID"), protocol: textAt(element, "MinRSNProto") }))
    .filter(({ ssid, protocol }) => Boolean(ssid) && Boolean(protocol) && protocol !== "TKIP");
  const ssid = networks[0]?.ssid ?? refuse("no SSID with a MinRSNProto other than TKIP");

  const method = eapTlsMethod(provider);
  const given = elementsAt(method, "ServerSideCredential", "CA").filter((ca) => isBase64("X.509", ca));
  if (given.length === 0) refuse("no CA");
  const cas = given.map(({ text }) => certificateIn(looseBase64(text))?.raw ?? refuse("a CA does not parse"));
  const serverNames = elementsAt(method, "ServerSideCredential", "ServerID").map(({ text }) => text);
  // Each name becomes `DNS:…`, which wpa_supplicant compares as a whole.
  if (!serverNames.every((name) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name))) refuse("a ServerID is no DNS name");

  const [credential] = elementsAt(method, "ClientSideCredential");
  const certificate = elementsAt(credential, "ClientCertificate").find((element) => isBase64("PKCS12", element));
  const pkcs12 = looseBase64(certificate?.text ?? "") ?? refuse("no PKCS#12 file");
  const device = opened(pkcs12, textAt(credential, "Passphrase") ?? "");
  const [leaf] = device.certificates;
  if (leaf === undefined) refuse("no certificate");
  if (Date.parse(leaf.validFrom) > now.getTime() + minutesAheadMax * 60_000) refuse("the certificate is not valid yet");
  const validUntil = new Date(leaf.validTo);
  if (validUntil < now) refuse("the certificate is not valid any more");

  const commonName = /^CN=(.+)$/m.exec(leaf.subject)?.[1];
  return {
    ssids: [ssid],
    rcois: [],
    serverNames,
    cas,
    identity: textAt(credential, "OuterIdentity") ?? commonName,
    device,
    validUntil,
  };
}
