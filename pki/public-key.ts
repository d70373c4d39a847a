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
 * Returns the algorithm of a SubjectPublicKeyInfo (DER), or null if the key must not be certified. Accepts a P-256 or
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

const taken = "use P-256, P-384 or RSA of 2048 to 4096 bits";

/** Returns why {@link publicKeyAlgorithm} refuses a key, as a sentence that clients can see. Checks only the form. */
export function publicKeyFault(publicKeySpki: Uint8Array): string {
  try {
    const whole = readWhole(Buffer.from(publicKeySpki), tag.sequence);
    const [algorithm, key] = children(whole);
    const [type, parameter] = children(expectTag(algorithm, tag.sequence));
    const name = contentOf(expectTag(type, tag.oid)).toString("hex");
    if (name === ecPublicKey) return ecFault(parameter);
    if (name !== rsaPublicKey) return `The key is ${keyNames[name] ?? "of an unknown kind"}; ${taken}.`;
    const [modulus, exponent] = rsaNumbers(key);
    const bits = modulus === undefined ? 0 : bitLength(modulus);
    if (bits < rsaBitsMin || bits > rsaBitsMax) return `The RSA key has ${bits} bits; ${taken}.`;
    if (exponent !== undefined && bitLength(exponent) < 17) {
      return `The exponent of the RSA key is ${exponent.readUIntBE(0, exponent.length)}; use 65537.`;
    }
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
  }
  return `The key is not encoded as RFC 5280 requires; ${taken}.`;
}

function ecFault(curve: Der | undefined): string {
  if (curve?.tagOctet !== tag.oid) return `The key describes its curve instead of naming it; ${taken}.`;
  const name = curveNames[contentOf(curve).toString("hex")];
  if (name === "P-256" || name === "P-384") return `The key's point is not in its uncompressed form; ${taken}.`;
  return `The key is on ${name === undefined ? "another curve" : `the curve ${name}`}; ${taken}.`;
}

/** The hexadecimal content of OBJECT IDENTIFIERs (RFC 3279 section 2.3, RFC 5480 section 2.1.1.1, RFC 8410). */
const ecPublicKey = "2a8648ce3d0201";
const rsaPublicKey = "2a864886f70d010101";
const keyNames: Partial<Record<string, string>> = {
  "2a864886f70d01010a": "RSA-PSS",
  "2a8648ce380401": "DSA",
  "2b656e": "X25519",
  "2b656f": "X448",
  "2b6570": "Ed25519",
  "2b6571": "Ed448",
};
const curveNames: Partial<Record<string, string>> = {
  "2a8648ce3d030107": "P-256",
  "2b81040022": "P-384",
  "2b81040023": "P-521",
  "2b8104000a": "secp256k1",
};

/**
 * Whether these bytes are the DER encoding of the key (X.690 section 10). In another encoding the same key would look
 * new in a comparison of octets, and could be certified again.
 */
export function isDerPublicKey(publicKeySpki: Uint8Array): boolean {
  // On these curves only the octets of the point vary, so no decoding is needed. OpenSSL's decoding would take as long
  // as the signature.
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

  const numbers = rsaNumbers(key);
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

/** Returns the numbers of an RSAPublicKey (RFC 8017 appendix A.1.1): modulus and exponent. */
const rsaNumbers = (key: Der | undefined): Buffer[] =>
  children(readWhole(bitsOf(expectTag(key, tag.bitString)), tag.sequence)).map(positiveInteger);

/** Returns the content of a BIT STRING of whole octets. */
export function bitsOf(element: Der): Buffer {
  const content = contentOf(element);
  if (content[0] !== 0) throw new DerError("not whole octets");
  return content.subarray(1);
}

/**
 * Returns the magnitude of an INTEGER above zero. In DER the INTEGER begins with a zero octet only if it would be
 * negative otherwise.
 */
function positiveInteger(element: Der): Buffer {
  const content = contentOf(expectTag(element, tag.integer));
  const [first = 0, second = 0] = content;
  if (first >= 0x80 || (first === 0 && second < 0x80)) throw new DerError("not a positive number");
  return first === 0 ? content.subarray(1) : content;
}

/** Returns the number of bits of a magnitude. An odd number of 17 bits or more is at least 65537. */
const bitLength = (magnitude: Uint8Array): number => magnitude.length * 8 - Math.clz32(magnitude[0] ?? 0) + 24;

const isOdd = (content: Uint8Array): boolean => ((content.at(-1) ?? 0) & 1) === 1;
