/**
 * A small DER writer (ITU-T X.690) for structures that are written thousands of times: to-be-signed certificates,
 * PKCS#12, CRL entries, OCSP answers. It writes only the types that these structures need; `der-reader.ts` and
 * `x509.ts` read.
 */

/** Tag octets, universal unless noted. */
export const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Context-specific tag `[number]`, primitive (IMPLICIT over a primitive type). */
export const context = (number: number): number => 0x80 | number;

/** Context-specific tag `[number]`, constructed (EXPLICIT, or IMPLICIT over a constructed type). */
export const contextConstructed = (number: number): number => 0xa0 | number;

/** Returns the tag and length octets that precede a content of `length` octets. */
export function header(tagOctet: number, length: number): Buffer {
  const out = Buffer.allocUnsafe(headerLengthOf(length));
  writeHeader(out, tagOctet, length);
  return out;
}

/** Encodes one tag-length-value; the content is the given parts, one after another. */
export function tlv(tagOctet: number, ...content: readonly Uint8Array[]): Buffer {
  let length = 0;
  for (const part of content) length += part.length;
  let at = headerLengthOf(length);
  const out = Buffer.allocUnsafe(at + length);
  writeHeader(out, tagOctet, length);
  for (const part of content) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const headerLengthOf = (length: number): number =>
  length < 0x80 ? 2 : length < 0x100 ? 3 : length < 0x10000 ? 4 : length < 0x1000000 ? 5 : 6;

function writeHeader(out: Buffer, tagOctet: number, length: number): void {
  const headerLength = headerLengthOf(length);
  out[0] = tagOctet;
  if (headerLength === 2) {
    out[1] = length;
  } else {
    out[1] = 0x80 | (headerLength - 2);
    out.writeUIntBE(length, 2, headerLength - 2);
  }
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(tag.sequence, ...parts);
export const octetString = (...content: readonly Uint8Array[]): Buffer => tlv(tag.octetString, ...content);
export const utf8String = (text: string): Buffer => tlv(tag.utf8String, Buffer.from(text, "utf8"));
export const nullValue = Buffer.from([tag.null, 0]);
export const trueValue = Buffer.from([tag.boolean, 1, 0xff]);

/** Encodes a SET OF, its members in the ascending order that DER requires (X.690 section 11.6). */
export const setOf = (...members: readonly Uint8Array[]): Buffer =>
  tlv(tag.set, ...[...members].sort((a, b) => Buffer.compare(a, b)));

/** Encodes a BIT STRING of whole octets. */
export const bitString = (...content: readonly Uint8Array[]): Buffer => tlv(tag.bitString, noUnusedBits, ...content);
const noUnusedBits = Buffer.from([0]);

/**
 * Encodes a BMPString: UCS-2, big-endian. Characters outside the basic plane become surrogate pairs, as other writers
 * do.
 */
export const bmpString = (text: string): Buffer => tlv(tag.bmpString, Buffer.from(text, "utf16le").swap16());

/** Encodes a non-negative INTEGER from its big-endian magnitude, of any length and with any leading zeros. */
export function unsignedInteger(magnitude: Uint8Array): Buffer {
  let start = 0;
  while (start < magnitude.length - 1 && magnitude[start] === 0) start++;
  const significant = magnitude.subarray(start);
  return (significant[0] ?? 0) < 0x80 && significant.length > 0
    ? tlv(tag.integer, significant)
    : tlv(tag.integer, Buffer.from([0]), significant);
}

/** Encodes a non-negative INTEGER below 2^32. */
export function smallInteger(value: number): Buffer {
  const magnitude = Buffer.alloc(4);
  magnitude.writeUInt32BE(value);
  return unsignedInteger(magnitude);
}

/** Encodes an OBJECT IDENTIFIER from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const octets: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const groups = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift(0x80 | (left % 128));
    octets.push(...groups);
  }
  return tlv(tag.oid, Buffer.from(octets));
}

/**
 * Encodes a validity time as RFC 5280 section 4.1.2.5 requires: UTCTime through 2049, GeneralizedTime from 2050; whole
 * seconds.
 */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return at.getUTCFullYear() < 2050
    ? tlv(tag.utcTime, Buffer.from(`${digits.slice(2)}Z`, "latin1"))
    : tlv(tag.generalizedTime, Buffer.from(`${digits}Z`, "latin1"));
}
