import type { CertificateFormat } from "./format.ts";

/** The file with the RADIUS server's CA that comes with a profile, for users who set a device up by hand. */
export const radiusCaFileName = "radius-ca.pem";

/** The media type of each format, and the ending of its file names. */
export const fileTypes: Readonly<Record<CertificateFormat, { type: string; ending: string }>> = {
  mobileconfig: { type: "application/x-apple-aspen-config", ending: "mobileconfig" },
  "eap-config": { type: "application/eap-config", ending: "eap-config" },
  onc: { type: "application/x-onc", ending: "onc" },
  networkmanager: { type: "application/x-tar", ending: "tar" },
  iwd: { type: "application/x-tar", ending: "tar" },
  pkcs12: { type: "application/x-pkcs12", ending: "p12" },
  pfx: { type: "application/x-pkcs12", ending: "p12" },
  pem: { type: "application/x-pem-file", ending: "pem" },
  crt: { type: "application/x-pem-file", ending: "crt" },
};

/** Names that Windows reserves with any ending, and the name of the CA's file. */
const taken = /^(?:con|prn|aux|nul|com\d|lpt\d|radius-ca)$/;

const longest = 100;

/**
 * Returns a name that every system can store, without its ending: a to z, digits and single dashes. Pages, addresses,
 * headers and commands all use this name, because a command only works with the name under which the browser saved the
 * file.
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

/** Returns the name of a profile's file. */
export const profileFileName = ({ name, format }: { name: string; format: CertificateFormat }): string =>
  `${fileStem(name)}.${fileTypes[format].ending}`;
