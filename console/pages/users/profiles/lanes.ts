import type { components } from "../../../../contract-types/api-types.ts";
import type { Places } from "../../../ui/picture/places.ts";

type Life = Pick<
  components["schemas"]["ProfileActivity"],
  "issuedAt" | "expiresAt" | "state" | "firstCheckAt" | "firstRefusedAt" | "lastCheck" | "revocation"
>;

/** Returns the time when the profile ended; null if it is active. */
export const endOf = ({ state, revocation, expiresAt }: Life): string | null =>
  revocation?.at ?? (state === "expired" ? expiresAt : null);

/** Returns the issue time of the earliest profile. Times are in ISO 8601 in UTC with milliseconds, as in the API. */
export const firstOf = (profiles: readonly Life[]): string | undefined =>
  profiles.map(({ issuedAt }) => issuedAt).toSorted()[0];

/**
 * Returns the lane of a profile between two times: from its issue to its end, with its first and its last check above
 * the line, and its refusals below the line.
 */
export function laneOf(life: Life, { from, to }: { from: Date; to: Date }): Places {
  const { issuedAt, firstCheckAt, firstRefusedAt, lastCheck } = life;
  const length = Math.max(1, to.getTime() - from.getTime());
  const place = (at: string): number => Math.min(1, Math.max(0, (Date.parse(at) - from.getTime()) / length));
  const places = (times: readonly (string | null)[]): number[] => [
    ...new Set(times.flatMap((at) => (at === null ? [] : place(at)))),
  ];
  const end = endOf(life);
  const lastGood = lastCheck?.result === "good" ? lastCheck.at : null;
  const lastRefused = lastCheck?.result === "revoked" ? lastCheck.at : null;
  return {
    from: place(issuedAt),
    to: end === null ? 1 : place(end),
    isEnded: end !== null,
    up: places([firstCheckAt === firstRefusedAt ? null : firstCheckAt, lastGood]),
    down: places([firstRefusedAt, lastRefused]),
  };
}
