import { context, contextConstructed, sequence, tag, tlv } from "./der.ts";
import { children, contentOf, expectTag, onlyChild, readWhole, type Der } from "./der-reader.ts";

/** The names that a CA may put into certificates (RFC 5280 section 4.2.1.10): host names, but no IP addresses. */
export interface NameConstraints {
  /**
   * Whether the extension is critical. RFC 5280 requires it to be, but small TLS libraries do not load a CA in which
   * this extension is critical.
   */
  critical: boolean;
  /** DNS names must be in one of these domains, in lower case. */
  permittedDomains: string[];
}

/**
 * Encodes the extension's value. It permits DNS names only in these domains, and excludes all IPv4 and IPv6 addresses.
 */
export function encodeNameConstraints(permittedDomains: readonly string[]): Buffer {
  const permitted = permittedDomains.map((domain) => sequence(tlv(context(dnsName), Buffer.from(domain, "latin1"))));
  // An address and a mask of zeros stand for every address of an IP version.
  const excluded = [8, 32].map((octets) => sequence(tlv(context(ipAddress), Buffer.alloc(octets))));
  return sequence(tlv(contextConstructed(0), ...permitted), tlv(contextConstructed(1), ...excluded));
}

/**
 * Reads the constraints in a CA's certificate, DER, as {@link encodeNameConstraints} writes them; returns null if the
 * certificate has no constraints. Throws DerError if the bytes are not a certificate.
 */
export function readNameConstraints(certificate: Uint8Array): NameConstraints | null {
  const [toBeSigned] = children(readWhole(Buffer.from(certificate), tag.sequence));
  const extensions = children(expectTag(toBeSigned, tag.sequence)).find(
    ({ tagOctet }) => tagOctet === contextConstructed(3),
  );
  for (const extension of extensions === undefined ? [] : children(onlyChild(extensions, tag.sequence))) {
    const parts = children(extension);
    if (!contentOf(expectTag(parts[0], tag.oid)).equals(nameConstraints)) continue;
    const value = contentOf(expectTag(parts.at(-1), tag.octetString));
    return { critical: parts.length === 3, permittedDomains: permittedDomainsOf(readWhole(value, tag.sequence)) };
  }
  return null;
}

function permittedDomainsOf(constraints: Der): string[] {
  const permitted = children(constraints).find(({ tagOctet }) => tagOctet === contextConstructed(0));
  return (permitted === undefined ? [] : children(permitted)).flatMap((subtree) => {
    const [base] = children(subtree);
    return base?.tagOctet === context(dnsName) ? [contentOf(base).toString("latin1").toLowerCase()] : [];
  });
}

/** The tags of GeneralName (RFC 5280 section 4.2.1.6). */
const dnsName = 2;
const ipAddress = 7;

export const nameConstraintsOid = "2.5.29.30";
const nameConstraints = Buffer.from("551d1e", "hex");
