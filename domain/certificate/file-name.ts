import type { CertificateFormat } from "./format.ts";

/** The file with the RADIUS server's CA that comes with a profile, for users who set a device up by hand. */
export const radiusCaFileName = "radius-ca.pem";

/** The media type of each format, and how the names of its files end. */
export const fileTypes: Readonly<Record<CertificateFormat, { type: string; ending: string }>> = {
  mobileconfig: { type: "application/x-apple-aspen-config", ending: "mobileconfig" },
  "eap-config": { type: "application/eap-config", ending: "eap-config" },
  pkcs12: { type: "application/x-pkcs12", ending: "p12" },
  pfx: { type: "application/x-pkcs12", ending: "p12" },
  pem: { type: "application/x-pem-file", ending: "pem" },
  crt: { type: "application/x-pem-file", ending: "crt" },
};

/** Names that Windows keeps for itself with every ending, and the one of the CA's file. */
const taken = /^(?:con|prn|aux|nul|com\d|lpt\d|radius-ca)$/;

const longest = 100;

/**
 * A name that every system can store, without its ending: a to z, digits and single dashes. Pages, addresses, headers and
 * commands all have this one; a command that names another file than the browser saved does not work.
 */
export function fileStem(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longest)
    .replace(/^-+|-+$/g, "");
  if (plain === "") return "profile";
  return taken.test(plain) ? `profile-${plain}` : plain;
}

/** The name of a profile's file. */
export const profileFileName = ({ name, format }: { name: string; format: CertificateFormat }): string =>
  `${fileStem(name)}.${fileTypes[format].ending}`;
