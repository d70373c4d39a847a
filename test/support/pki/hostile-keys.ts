import { createPublicKey, sign, type KeyObject } from "node:crypto";
import { bitString, contextConstructed, nullValue, oid, sequence, smallInteger, tag, tlv } from "../../../pki/der.ts";
import { pem } from "../../../pki/pem.ts";

/** Encodes an element whose length takes this many octets, even if fewer would do: BER, but not DER. */
export function longLength(tagOctet: number, content: Uint8Array, octets = 4): Buffer {
  const head = Buffer.alloc(2 + octets);
  head[0] = tagOctet;
  head[1] = 0x80 | octets;
  head.writeUIntBE(content.length, 2, octets);
  return Buffer.concat([head, content]);
}

/** Encodes an element of indefinite length (X.690 section 8.1.3.6). */
const indefinite = (tagOctet: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([tagOctet, 0x80]), content, Buffer.alloc(2)]);

const number = (content: Uint8Array, tagOctet: number = tag.integer): Buffer => tlv(tagOctet, content);
const bits = (unused: number, content: Uint8Array): Buffer => tlv(tag.bitString, Buffer.from([unused]), content);
const zero = Buffer.alloc(1);

/** Returns encodings of an RSA key that differ from its DER, keyed by their fault. */
function otherFormsOfRsa(key: KeyObject): Record<string, Buffer> {
  const { n = "", e = "" } = createPublicKey(key).export({ format: "jwk" });
  const modulus = Buffer.concat([zero, Buffer.from(n, "base64url")]);
  const exponent = Buffer.from(e, "base64url");
  const rsaEncryption = oid("1.2.840.113549.1.1.1");
  const algorithm = sequence(rsaEncryption, nullValue);
  const numbers = Buffer.concat([number(modulus), number(exponent)]);
  const inner = tlv(tag.sequence, numbers);
  const content = Buffer.concat([algorithm, bitString(inner)]);
  const withNumbers = (...parts: Buffer[]): Buffer => sequence(algorithm, bitString(sequence(...parts)));
  return {
    "a length of four octets outside": longLength(tag.sequence, content),
    "a length of three octets outside": longLength(tag.sequence, content, 3),
    "an indefinite length outside": indefinite(tag.sequence, content),
    "octets after the key": Buffer.concat([sequence(content), zero]),
    "a third element": sequence(content, nullValue),
    "a set instead of a sequence": tlv(tag.set, content),
    "a long length of the algorithm": sequence(
      longLength(tag.sequence, Buffer.concat([rsaEncryption, nullValue])),
      bitString(inner),
    ),
    "an algorithm without parameters": sequence(sequence(rsaEncryption), bitString(inner)),
    "an algorithm with NULL twice": sequence(sequence(rsaEncryption, nullValue, nullValue), bitString(inner)),
    "the algorithm of RSA-PSS": sequence(sequence(oid("1.2.840.113549.1.1.10"), nullValue), bitString(inner)),
    "a long length of the BIT STRING": sequence(algorithm, longLength(tag.bitString, Buffer.concat([zero, inner]))),
    "unused bits": sequence(algorithm, bits(1, inner)),
    "more unused bits than an octet has": sequence(algorithm, bits(8, inner)),
    "a constructed BIT STRING": sequence(algorithm, tlv(0x23, bitString(inner))),
    "an empty BIT STRING": sequence(algorithm, tlv(tag.bitString)),
    "an octet after the numbers": sequence(algorithm, bitString(Buffer.concat([inner, zero]))),
    "a long length inside": sequence(algorithm, bitString(longLength(tag.sequence, numbers))),
    "an indefinite length inside": sequence(algorithm, bitString(indefinite(tag.sequence, numbers))),
    "a set inside": sequence(algorithm, bitString(tlv(tag.set, numbers))),
    "a long length of the modulus": withNumbers(longLength(tag.integer, modulus), number(exponent)),
    "a long length of the exponent": withNumbers(number(modulus), longLength(tag.integer, exponent, 1)),
    "a modulus with another zero": withNumbers(number(Buffer.concat([zero, modulus])), number(exponent)),
    "a negative modulus": withNumbers(number(modulus.subarray(1)), number(exponent)),
    "an exponent with a zero": withNumbers(number(modulus), number(Buffer.concat([zero, exponent]))),
    "an exponent with two zeros": withNumbers(number(modulus), number(Buffer.concat([zero, zero, exponent]))),
    "a modulus that is no INTEGER": withNumbers(number(modulus, tag.octetString), number(exponent)),
    "an exponent that is no INTEGER": withNumbers(number(modulus), number(exponent, tag.enumerated)),
    "a third number": withNumbers(number(modulus), number(exponent), number(Buffer.from([1]))),
  };
}

/** Returns encodings of a P-256 key that differ from its DER, keyed by their fault. */
function otherFormsOfP256(key: KeyObject): Record<string, Buffer> {
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  const point = spki.subarray(-65);
  const sign = 2 + ((point.at(-1) ?? 0) & 1);
  const x = point.subarray(1, 33);
  const curve = oid("1.2.840.10045.3.1.7");
  const ecPublicKey = oid("1.2.840.10045.2.1");
  const algorithm = sequence(ecPublicKey, curve);
  return {
    "a compressed point": sequence(algorithm, bitString(Buffer.concat([Buffer.from([sign]), x]))),
    "a hybrid point": sequence(algorithm, bitString(Buffer.concat([Buffer.from([sign + 4]), point.subarray(1)]))),
    "the point at infinity": sequence(algorithm, bitString(zero)),
    "no curve": sequence(sequence(ecPublicKey), bitString(point)),
    "NULL instead of a curve": sequence(sequence(ecPublicKey, nullValue), bitString(point)),
    "a curve and NULL": sequence(sequence(ecPublicKey, curve, nullValue), bitString(point)),
    "the algorithm of ECDH alone": sequence(sequence(oid("1.3.132.1.12"), curve), bitString(point)),
    "a long length outside": longLength(tag.sequence, spki.subarray(2)),
    "a long length of the point": sequence(algorithm, longLength(tag.bitString, Buffer.concat([zero, point]))),
    "unused bits": sequence(algorithm, bits(1, point)),
    "an octet after the point": sequence(algorithm, bitString(Buffer.concat([point, zero]))),
    "octets after the key": Buffer.concat([spki, zero]),
  };
}

/**
 * Returns encodings of an RSA key and a P-256 key that differ from their DER, or from the one form that is certified.
 */
export const otherForms = (keys: {
  rsa: KeyObject;
  p256: KeyObject;
}): [what: string, spki: Buffer, key: KeyObject][] => [
  ...Object.entries(otherFormsOfRsa(keys.rsa)).map(([what, spki]) => named("RSA", what, spki, keys.rsa)),
  ...Object.entries(otherFormsOfP256(keys.p256)).map(([what, spki]) => named("P-256", what, spki, keys.p256)),
];

const named = (algorithm: string, what: string, spki: Buffer, key: KeyObject): [string, Buffer, KeyObject] => [
  `${algorithm} with ${what}`,
  spki,
  key,
];

/** Makes a certification request for these octets, properly signed with their key. */
export function requestFor(key: KeyObject, spki: Buffer): string {
  const info = sequence(smallInteger(0), sequence(), spki, tlv(contextConstructed(0)));
  const algorithm =
    key.asymmetricKeyType === "ec"
      ? sequence(oid("1.2.840.10045.4.3.2"))
      : sequence(oid("1.2.840.113549.1.1.11"), nullValue);
  return pem("CERTIFICATE REQUEST", sequence(info, algorithm, bitString(sign("sha256", info, key))));
}
