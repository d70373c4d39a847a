/**
 * The only module that imports @peculiar/x509, which needs reflect-metadata loaded first and a Web Crypto provider; all
 * other modules import from here. This module also locates elements in bytes that must stay unchanged, which
 * @peculiar/x509 cannot do.
 */
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { cryptoProvider } from "@peculiar/x509";

export {
  AuthorityInfoAccessExtension,
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
  X509Crl,
} from "@peculiar/x509";

cryptoProvider.set(webcrypto);

/** An element of a DER encoding: its tag octet and the offsets of its start, its content and its end. */
export interface DerElement {
  tagOctet: number;
  start: number;
  contentStart: number;
  end: number;
}

/**
 * Reads the element that begins at `start` (X.690 section 8.1): single-octet tags and definite lengths only. Throws
 * RangeError for any other encoding and for an element that does not end within `der`.
 */
export function readElement(der: Uint8Array, start = 0): DerElement {
  const tagOctet = der[start];
  const firstLength = der[start + 1];
  if (tagOctet === undefined || firstLength === undefined || (tagOctet & 0x1f) === 0x1f)
    throw new RangeError("not DER");
  let contentStart = start + 2;
  let length = firstLength;
  if (firstLength >= 0x80) {
    const lengthOctets = firstLength & 0x7f;
    if (lengthOctets === 0 || lengthOctets > 4) throw new RangeError("not DER");
    length = 0;
    for (let i = 0; i < lengthOctets; i++) length = length * 256 + (der[contentStart + i] ?? Number.NaN);
    contentStart += lengthOctets;
  }
  const end = contentStart + length;
  if (!(end <= der.length)) throw new RangeError("not DER");
  return { tagOctet, start, contentStart, end };
}

/**
 * Returns the elements directly inside `parent`, in order. Throws RangeError if they do not fill the parent exactly.
 */
export function readChildren(der: Uint8Array, parent: DerElement): DerElement[] {
  const children: DerElement[] = [];
  for (let at = parent.contentStart; at < parent.end;) {
    const child = readElement(der, at);
    if (child.end > parent.end) throw new RangeError("not DER");
    children.push(child);
    at = child.end;
  }
  return children;
}
