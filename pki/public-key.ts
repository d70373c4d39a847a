import { createPublicKey } from "node:crypto";
import { p256SpkiPrefix } from "./algorithms.ts";
import { tag } from "./der.ts";
import { children, contentOf, DerError, encodingOf, expectTag, readWhole, type Der } from "./der-reader.ts";

export type PublicKeyAlgorithm = "ec-p256" | "ec-p384" | "rsa";

const rsaBitsMin = 2048;
const rsaBitsMax = 4096;

/** The DER prefix of P-384 public keys on the named curve (RFC 5480 section 2); the point follows. */
const p384SpkiPrefix = Buffer.from("3076301006072a8648ce3d020106052b81040022036200", "hex");
const rsaEncryption = Buffer.from("300d06092a864886f70d0101010500", "hex");

/**
 * Returns the algorithm of a SubjectPublicKeyInfo, in DER, or null if the key must not be certified. Accepts a P-256 or
 * P-384 key on its named curve with an uncompressed point, or an RSA key of 2048 to 4096 bits with an odd exponent from
 * 65537 to 2^256 (NIST SP 800-56B section 6.2). Checks only the form; OpenSSL checks that a point lies on its curve.
 */
export function publicKeyAlgorithm(publicKeySpki: Uint8Array): PublicKeyAlgorithm | null {
  if (isPoint(publicKeySpki, p256SpkiPrefix, 32)) return "ec-p256";
  if (isPoint(publicKeySpki, p384SpkiPrefix, 48)) return "ec-p384";
  try {
    return isAcceptableRsa(publicKeySpki) ? "rsa" : null;
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

/**
 * Whether this is the DER encoding of the key (X.690 section 10). In another encoding the same key would look new in a
 * comparison of octets, and could be certified again.
 */
export function isDerPublicKey(publicKeySpki: Uint8Array): boolean {
  // On these curves every octet but the point's is fixed; OpenSSL would take as long as the signature does.
  if (isPoint(publicKeySpki, p256SpkiPrefix, 32) || isPoint(publicKeySpki, p384SpkiPrefix, 48)) return true;
  try {
    const key = createPublicKey({ key: Buffer.from(publicKeySpki), format: "der", type: "spki" });
    return key.export({ format: "der", type: "spki" }).equals(publicKeySpki);
  } catch {
    return false;
  }
}

function isPoint(publicKeySpki: Uint8Array, prefix: Buffer, coordinateLength: number): boolean {
  return (
    publicKeySpki.length === prefix.length + 1 + 2 * coordinateLength &&
    prefix.compare(publicKeySpki, 0, prefix.length) === 0 &&
    publicKeySpki[prefix.length] === 4
  );
}

/** Whether an RSA key may be certified. Throws DerError if the bytes are not DER. */
function isAcceptableRsa(spki: Uint8Array): boolean {
  const whole = readWhole(Buffer.from(spki.buffer, spki.byteOffset, spki.length), tag.sequence);
  const [algorithm, key, ...more] = children(whole);
  if (algorithm === undefined || more.length > 0) return false;
  if (!encodingOf(algorithm).equals(rsaEncryption)) return false;

  const numbers = children(readWhole(bitsOf(expectTag(key, tag.bitString)), tag.sequence)).map(positiveInteger);
  const [modulus, exponent] = numbers;
  if (modulus === undefined || exponent === undefined || numbers.length !== 2) return false;
  const modulusBits = bitLength(modulus);
  return (
    modulusBits >= rsaBitsMin &&
    modulusBits <= rsaBitsMax &&
    isOdd(modulus) &&
    isOdd(exponent) &&
    bitLength(exponent) >= 17 &&
    bitLength(exponent) <= 256
  );
}

/** Returns the content of a BIT STRING of whole octets. */
export function bitsOf(element: Der): Buffer {
  const content = contentOf(element);
  if (content[0] !== 0) throw new DerError("not whole octets");
  return content.subarray(1);
}

/** Returns the magnitude of an INTEGER above zero. In DER it begins with a zero only if it would be negative without. */
function positiveInteger(element: Der): Buffer {
  const content = contentOf(expectTag(element, tag.integer));
  const [first = 0, second = 0] = content;
  if (first >= 0x80 || (first === 0 && second < 0x80)) throw new DerError("not a positive number");
  return first === 0 ? content.subarray(1) : content;
}

/** Returns the number of bits of a magnitude. 17 bits and odd is 65537 or more. */
const bitLength = (magnitude: Uint8Array): number => magnitude.length * 8 - Math.clz32(magnitude[0] ?? 0) + 24;

const isOdd = (content: Uint8Array): boolean => ((content.at(-1) ?? 0) & 1) === 1;
