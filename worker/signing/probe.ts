import { randomBytes, verify, X509Certificate } from "node:crypto";
import { signatureAlgorithmFor, signatureAlgorithms } from "../../pki/algorithms.ts";

/** Returns the text that a probe signs. The text is not DER, so the signature never fits a certificate or a CRL. */
const textOf = (challenge: string): Buffer => Buffer.from(`realmpass probe ${challenge}`);

/** Draws a challenge for one probe, so no earlier signature answers it. */
export const drawChallenge = (): string => randomBytes(16).toString("hex");

/** Returns the text to sign for a challenge. Throws if the challenge is malformed. */
export function probeText(challenge: string): Buffer {
  if (!/^[0-9a-f]{32}$/.test(challenge)) throw new RangeError("not a challenge of a probe");
  return textOf(challenge);
}

/** Returns whether the key of a certificate has signed the text of a challenge. */
export function isAnswered(
  challenge: string,
  { certificate, signature }: { certificate: Uint8Array; signature: Uint8Array },
): boolean {
  const { publicKey } = new X509Certificate(certificate);
  const { hash } = signatureAlgorithms[signatureAlgorithmFor(publicKey)];
  return verify(hash, textOf(challenge), publicKey, signature);
}
