import { randomBytes, verify, X509Certificate } from "node:crypto";
import { signatureAlgorithms } from "../../pki/algorithms.ts";
import { signatureAlgorithmFor } from "../../pki/signer.ts";

/** What a probe signs: text, which is not DER, so that the signature never is one of a certificate or a list. */
const textOf = (challenge: string): Buffer => Buffer.from(`realmpass probe ${challenge}`);

/** Drawn for each probe, so that no earlier signature answers it. */
export const drawChallenge = (): string => randomBytes(16).toString("hex");

/** What is signed to answer a challenge. Throws for one that was not drawn here. */
export function probeText(challenge: string): Buffer {
  if (!/^[0-9a-f]{32}$/.test(challenge)) throw new RangeError("not a challenge of a probe");
  return textOf(challenge);
}

/** Whether the key of a certificate has signed the answer to a challenge. */
export function isAnswered(
  challenge: string,
  { certificate, signature }: { certificate: Uint8Array; signature: Uint8Array },
): boolean {
  const { publicKey } = new X509Certificate(certificate);
  const { hash } = signatureAlgorithms[signatureAlgorithmFor(publicKey)];
  return verify(hash, textOf(challenge), publicKey, signature);
}
