import type { SignatureAlgorithm } from "./algorithms.ts";

/** A private key that callers can sign with but not read, such as the key in an encrypted file. */
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
