import type { KeyObject } from "node:crypto";
import type { SignatureAlgorithm } from "./algorithms.ts";

/** A private key that can be used but not read: an encrypted file, or a token behind PKCS#11. */
export interface Signer {
  readonly algorithm: SignatureAlgorithm;
  readonly publicKeySpki: Uint8Array;
  /** Returns the signature as certificates contain it: for ECDSA the DER of Ecdsa-Sig-Value (RFC 3279 section 2.2.3). */
  sign(toBeSigned: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Signs data that comes in parts: a CRL is too large to copy into one piece just for its signature. */
  signInParts(): SigningInParts;
}

export interface SigningInParts {
  update(part: Uint8Array): void;
  /** Returns the signature of all parts, one after another. */
  finish(): Uint8Array | Promise<Uint8Array>;
}

/**
 * Returns the signature algorithm for a key: P-256, P-384, or RSA of at least 2048 bits. Throws TypeError for any other
 * key.
 */
export function signatureAlgorithmFor(key: KeyObject): SignatureAlgorithm {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "ec" && namedCurve === "prime256v1") return "ecdsa-with-SHA256";
  if (key.asymmetricKeyType === "ec" && namedCurve === "secp384r1") return "ecdsa-with-SHA384";
  if (key.asymmetricKeyType === "rsa" && modulusLength >= 2048) return "sha256WithRSAEncryption";
  throw new TypeError("an issuer's key is P-256, P-384 or RSA of at least 2048 bits");
}
