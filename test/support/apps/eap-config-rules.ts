import { X509Certificate } from "node:crypto";
import { openBundle, type OpenedBundle } from "../pki/device-file-reader.ts";
import { elementsAt, readXml, type XmlElement } from "./read-xml.ts";

/** Rules shared by the apps that read EAP metadata; the rules of a single app are in that app's file. */

/** Thrown when an app stops. The message is the reason; most apps show people less. */
export class Refused extends Error {
  override name = "Refused";
}

export function refuse(reason: string): never {
  throw new Refused(reason);
}

/** The network that an app sets up from a file. */
export interface Network {
  ssids: string[];
  /** Roaming consortium OIs, in the file's order. */
  rcois: string[];
  serverNames: string[];
  /** DER of the CAs that the app trusts for the server. */
  cas: Buffer[];
  /** The identity that is sent in the clear. */
  identity: string | undefined;
  device: OpenedBundle;
  /** The end of the validity that the app reminds people of. */
  validUntil: Date | undefined;
}

/** Returns the first provider, which is the provider that every app uses. */
export function firstProvider(file: Buffer): XmlElement {
  let root: XmlElement;
  try {
    root = readXml(file);
  } catch {
    refuse("the file is not XML");
  }
  return elementsAt(root, "EAPIdentityProvider")[0] ?? refuse("no provider");
}

/** Returns the first method that is EAP-TLS. */
export const eapTlsMethod = (provider: XmlElement): XmlElement =>
  elementsAt(provider, "AuthenticationMethods", "AuthenticationMethod").find(
    (method) => elementsAt(method, "EAPMethod", "Type")[0]?.text === "13",
  ) ?? refuse("no EAP-TLS");

export const isBase64 = (format: string, { attributes }: XmlElement): boolean =>
  attributes["format"] === format && attributes["encoding"] === "base64";

/** Returns the octets that one line of base64 encodes; undefined for anything else, as strict decoders do. */
export function strictBase64(text: string): Buffer | undefined {
  const octets = Buffer.from(text, "base64");
  return text !== "" && octets.toString("base64") === text ? octets : undefined;
}

/** Does the same as {@link strictBase64}, but skips line breaks, as lenient decoders do. */
export const looseBase64 = (text: string): Buffer | undefined => strictBase64(text.replace(/[\r\n]/g, ""));

/** Returns the certificate in these octets; undefined if they are not a certificate. */
export function certificateIn(octets: Buffer | undefined): X509Certificate | undefined {
  try {
    return octets && new X509Certificate(octets);
  } catch {
    return undefined;
  }
}

const bundles = new Map<string, OpenedBundle | undefined>();

/** Opens the PKCS#12 file once; refuses a password that does not open it. */
export function opened(pkcs12: Buffer, password: string): OpenedBundle {
  const key = `${pkcs12.toString("base64")} ${password}`;
  if (!bundles.has(key)) bundles.set(key, openBundle({ pkcs12, password }));
  return bundles.get(key) ?? refuse("the passphrase does not open the PKCS#12 file");
}

/** Refuses PKCS#12 files that only newer systems open. */
export function requireTripleDes({ info }: OpenedBundle): void {
  if (!info.includes("3-KeyTripleDES") || info.includes("AES")) refuse("older systems open 3DES alone");
}

export const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey);
