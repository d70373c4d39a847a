import { createHash } from "node:crypto";

/**
 * Returns whether the verifier fits the challenge (RFC 7636 section 4.6). A verifier without a challenge is a downgrade
 * attack (RFC 9700 section 4.8.2).
 */
export function isVerified(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  if (!/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier)) return false;
  return createHash("sha256").update(verifier).digest("base64url") === challenge;
}
