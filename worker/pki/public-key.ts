import { tag } from "./der.ts";
import { readChildren, readElement } from "./x509.ts";

export type PublicKeyAlgorithm = "ec-p256" | "ec-p384" | "rsa";

const rsaBitsMin = 2048;
const rsaBitsMax = 4096;

/** What P-256 and P-384 public keys on the named curve begin with in DER (RFC 5480 section 2); the point follows. */
export const p256SpkiPrefix = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex");
const p384SpkiPrefix = Buffer.from("3076301006072a8648ce3d020106052b81040022036200", "hex");
const rsaEncryption = Buffer.from("300d06092a864886f70d0101010500", "hex");

/**
 * The algorithm of a SubjectPublicKeyInfo whose key may be certified, or null: a P-256 or P-384 key on its named curve
 * with an uncompressed point, or an RSA key of 2048 to 4096 bits with an odd exponent from 65537 to 2^256
 * (NIST SP 800-56B section 6.2). It looks at the form only; whether a point lies on its curve is OpenSSL's to say.
 */
export function publicKeyAlgorithm(publicKeySpki: Uint8Array): PublicKeyAlgorithm | null {
  if (isPoint(publicKeySpki, p256SpkiPrefix, 32)) return "ec-p256";
  if (isPoint(publicKeySpki, p384SpkiPrefix, 48)) return "ec-p384";
  try {
    return isAcceptableRsa(publicKeySpki) ? "rsa" : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function isPoint(publicKeySpki: Uint8Array, prefix: Buffer, coordinateLength: number): boolean {
  return (
    publicKeySpki.length === prefix.length + 1 + 2 * coordinateLength &&
    prefix.compare(publicKeySpki, 0, prefix.length) === 0 &&
    publicKeySpki[prefix.length] === 4
  );
}

function isAcceptableRsa(spki: Uint8Array): boolean {
  const whole = readElement(spki);
  const [algorithm, key] = readChildren(spki, whole);
  if (whole.end !== spki.length || algorithm === undefined || key?.tagOctet !== tag.bitString) return false;
  if (rsaEncryption.compare(spki, algorithm.start, algorithm.end) !== 0) return false;

  const numbers = readChildren(spki, readElement(spki, key.contentStart + 1));
  const [modulus, exponent] = numbers.map((number) => spki.subarray(number.contentStart, number.end));
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

/** Bits of a positive INTEGER's content; 0 for a negative one. 17 bits and odd is 65537 or more. */
function bitLength(content: Uint8Array): number {
  const significant = content[0] === 0 ? content.subarray(1) : content;
  const first = significant[0] ?? 0;
  if (content[0] !== 0 && first >= 0x80) return 0;
  return first === 0 ? 0 : significant.length * 8 - Math.clz32(first) + 24;
}

const isOdd = (content: Uint8Array): boolean => ((content.at(-1) ?? 0) & 1) === 1;
