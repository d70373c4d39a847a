/**
 * Returns the last check of a profile and its result: `revoked` if the check came at the time of the revocation or
 * later, else `good`. Returns null without a check. Times are Dates or, as in the API, texts in ISO 8601 in UTC with
 * milliseconds.
 */
export function lastCheckOf<Time extends Date | string>({
  lastCheckAt,
  revokedAt,
}: {
  lastCheckAt: Time | null;
  revokedAt: Time | null;
}): { at: Time; result: "good" | "revoked" } | null {
  if (lastCheckAt === null) return null;
  return { at: lastCheckAt, result: revokedAt !== null && lastCheckAt >= revokedAt ? "revoked" : "good" };
}
