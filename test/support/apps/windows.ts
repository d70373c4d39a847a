import { randomInt } from "node:crypto";
import type { App } from "./app.ts";
import {
  certificateIn,
  eapTlsMethod,
  firstProvider,
  looseBase64,
  opened,
  refuse,
  requireTripleDes,
  type Network,
} from "./eap-config-rules.ts";
import { elementsAt, textAt } from "./read-xml.ts";

const headers = {
  "User-Agent": "geteduroam-win/4.2.4 (Microsoft Windows 11 Pro; 64-bit) HttpClient",
  Connection: "close",
  "Accept-Encoding": "gzip, deflate",
};
/** The time after which the app gives up, in milliseconds. */
const withinMs = 8_000;
/** Returns the media type of a header, without parameters. */
const mediaType = (contentType: string): string => contentType.split(";")[0]?.trim() ?? "";

/** geteduroam for Windows; its discovery branch reads the base. */
export const windows: App = {
  name: "Windows",
  clientId: "app.geteduroam.win",
  redirect: { loopback: "[::1]", port: () => randomInt(49_152, 65_535) },
  address: (typed) => `https://${typed}`,
  discovery: {
    headers: { ...headers, Accept: ["application/json", "application/eap-config", "application/x-eap-config"] },
    withinMs,
    isJson: (contentType) => mediaType(contentType) === "application/json",
  },
  parameters: [
    "response_type",
    "code_challenge_method",
    "scope",
    "code_challenge",
    "redirect_uri",
    "client_id",
    "state",
  ],
  // HttpUtility.UrlEncode writes lowercase hex digits.
  encode: (text) => encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
  token: {
    headers: { ...headers, "Content-Type": "application/x-www-form-urlencoded" },
    withinMs,
    fields: ["grant_type", "code", "redirect_uri", "client_id", "code_verifier"],
    needs: ["access_token", "token_type", "expires_in"],
    type: "Bearer",
  },
  file: {
    headers: { ...headers, Accept: ["application/eap-config", "application/x-eap-config"] },
    withinMs,
  },
  fetches: ["eap-config"],
  failure: ({ status, headers: { "content-type": contentType = "" } }) => {
    // For a refusal, the app shows only the status line.
    if (status >= 400) return `HTTP ${status}`;
    const isFile = ["application/eap-config", "application/x-eap-config"].includes(mediaType(contentType));
    return isFile ? undefined : `got ${contentType}`;
  },
  read: readOnWindows,
};

/** Version 4.1.3 and the compatibility stub do not read the base: they compute the addresses below it. */
export const windows413: App = { ...windows, name: "Windows 4.1.3", discovery: "computes" };

function readOnWindows(file: Buffer): Network {
  const provider = firstProvider(file);
  const method = eapTlsMethod(provider);
  const cas = elementsAt(method, "ServerSideCredential", "CA").map(
    ({ text }) => certificateIn(looseBase64(text))?.raw ?? refuse("a CA does not parse"),
  );
  const [applicability] = elementsAt(provider, "CredentialApplicability");
  if (applicability?.children.some(({ name }) => name !== "IEEE80211" && name !== "IEEE8023") ?? true)
    refuse("an unknown network");
  const networks = elementsAt(applicability, "IEEE80211");

  const [credential] = elementsAt(method, "ClientSideCredential");
  const pkcs12 = looseBase64(textAt(credential, "ClientCertificate") ?? "") ?? refuse("no PKCS#12 file");
  const passphrase = textAt(credential, "Passphrase") ?? refuse("the person is asked for the passphrase");
  const device = opened(pkcs12, passphrase);
  requireTripleDes(device);
  return {
    ssids: networks.flatMap((network) => elementsAt(network, "SSID").map(({ text }) => text)),
    rcois: networks.flatMap((network) => elementsAt(network, "ConsortiumOID").map(({ text }) => text)),
    serverNames: elementsAt(method, "ServerSideCredential", "ServerID").map(({ text }) => text),
    cas,
    identity: textAt(credential, "OuterIdentity"),
    device,
    validUntil: undefined,
  };
}
