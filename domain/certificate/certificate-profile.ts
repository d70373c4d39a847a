import { clockRoomMinutes } from "../lifetimes.ts";

/** The contents of a certificate of each kind, as data (RFC 5280, RFC 9190). `pki` encodes them. */

export const certificateKinds = ["user", "guest", "infrastructure"] as const;
export type CertificateKind = (typeof certificateKinds)[number];

/** The KeyUsage bits (RFC 5280 section 4.2.1.3) that a profile's certificate can contain. */
export type KeyUsage = "digitalSignature" | "keyEncipherment";

/** The values of KeyPurposeId (RFC 5280 section 4.2.1.12) that a profile's certificate can contain. */
export type ExtendedKeyUsage = "clientAuth" | "serverAuth";

export interface CertificateProfile {
  extendedKeyUsages: readonly ExtendedKeyUsage[];
  /** `identity`: CN and rfc822Name. `dnsNameOrIdentity`: CN and dNSName when there is a DNS name, else as `identity`. */
  namedBy: "identity" | "dnsNameOrIdentity";
}

export const certificateProfile = {
  user: { extendedKeyUsages: ["clientAuth"], namedBy: "identity" },
  guest: { extendedKeyUsages: ["clientAuth"], namedBy: "identity" },
  infrastructure: { extendedKeyUsages: ["clientAuth", "serverAuth"], namedBy: "dnsNameOrIdentity" },
} as const satisfies Record<CertificateKind, CertificateProfile>;

/** RSA key exchange of TLS 1.2 needs keyEncipherment; EC keys only ever sign. */
export const keyUsages = {
  ec: ["digitalSignature"],
  rsa: ["digitalSignature", "keyEncipherment"],
} as const satisfies Record<"ec" | "rsa", readonly KeyUsage[]>;

/** How a new issuing CA is limited to the realm's domains; RFC 5280 section 4.2.1.10 requires `critical`. */
export const nameConstraintsForms = ["critical", "plain", "none"] as const;
export type NameConstraintsForm = (typeof nameConstraintsForms)[number];

export const certificateValidity = {
  /** A certificate becomes valid this long before it is signed, so devices whose clocks are slow accept it. */
  backdateSeconds: clockRoomMinutes * 60,
  /**
   * A CA's own certificate becomes valid this long before it is signed: longer, so it covers every certificate that the
   * CA signs.
   */
  issuerBackdateSeconds: 24 * 60 * 60,
  rootYears: 20,
  issuingYears: 10,
  infrastructureMonthsMin: 12,
  infrastructureMonthsMax: 60,
} as const;

/** Upper bounds of RFC 5280 appendix A.1 (ub-common-name, ub-organization-name), in characters. */
export const commonNameLengthMax = 64;
export const organizationLengthMax = 64;

export const identityLabelLength = 20;
/** The longest realm domain whose identities still fit a common name. */
export const realmDomainLengthMax = commonNameLengthMax - identityLabelLength - 1;

const base32 = "abcdefghijklmnopqrstuvwxyz234567";

/**
 * Returns the random part of a new certificate's identity, `<label>@<realm domain>`: 20 base32 characters (100 bits)
 * that reveal nothing about the person. `random` is at least 20 random bytes; throws RangeError for fewer.
 */
export function identityLabelOf(random: Uint8Array): string {
  if (random.length < identityLabelLength) throw new RangeError("an identity needs 20 random bytes");
  return Array.from(random.subarray(0, identityLabelLength), (byte) => base32.charAt(byte & 31)).join("");
}

/** Whether `text` is an identity: `<20 of a-z2-7>@<DNS name>`, at most 64 characters. */
export function isIdentity(text: string): boolean {
  return (
    text.length <= commonNameLengthMax && identityLabel.test(text) && isDnsName(text.slice(identityLabelLength + 1))
  );
}
const identityLabel = /^[a-z2-7]{20}@/;

/**
 * Whether `text` is a DNS name that a certificate may contain: two or more labels of letters, digits and inner hyphens
 * (RFC 1123 section 2.1), the last not all digits, no wildcard, no final dot, ASCII only, at most 253 characters.
 */
export function isDnsName(text: string): boolean {
  return text.length <= dnsNameLengthMax && dnsName.test(text);
}
export const dnsNameLengthMax = 253;
/** A pattern for DNS names, to match in any letter case. PostgreSQL and JavaScript read the pattern alike. */
export const dnsNamePattern = String.raw`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$`;
const dnsName = new RegExp(dnsNamePattern, "i");

/**
 * Whether a DNS name is one of these domains or below one (RFC 5280 section 4.2.1.10), in any letter case. The domains
 * are in lower case.
 */
export function isWithinDomains(name: string, domains: readonly string[]): boolean {
  const folded = name.toLowerCase();
  return domains.some((domain) => folded === domain || folded.endsWith(`.${domain}`));
}

/**
 * Returns an organization name that fits a certificate: control characters replaced, and at most 64 characters without
 * cutting a character in half.
 */
export function organizationName(displayName: string): string {
  return Array.from(displayName.replace(/\p{Cc}/gu, " ").trim())
    .slice(0, organizationLengthMax)
    .join("")
    .trim();
}
