import type { KeyObject } from "node:crypto";
import { nullValue, oid, sequence } from "./der.ts";

/**
 * The signature algorithms that issuers use: AlgorithmIdentifier (RFC 5758 section 3.2, RFC 4055 section 5) and its
 * hash.
 */
export const signatureAlgorithms = {
  "ecdsa-with-SHA256": { identifier: sequence(oid("1.2.840.10045.4.3.2")), hash: "sha256" },
  "ecdsa-with-SHA384": { identifier: sequence(oid("1.2.840.10045.4.3.3")), hash: "sha384" },
  sha256WithRSAEncryption: { identifier: sequence(oid("1.2.840.113549.1.1.11"), nullValue), hash: "sha256" },
} as const;
export type SignatureAlgorithm = keyof typeof signatureAlgorithms;

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

/** The DER prefix of P-256 public keys on the named curve (RFC 5480 section 2); the point follows. */
export const p256SpkiPrefix = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex");
