import type { components } from "../../../../contract-types/api-types.ts";

type Revocation = components["schemas"]["RevocationsPicture"]["revocations"][number];

/** Profiles that one bulk job revoked, or that were revoked at the same instant. */
export interface Mark {
  /** The time of the last of these revocations. */
  revokedAt: string;
  job: Revocation["job"];
  devices: [Revocation, ...Revocation[]];
  /** Seconds until all these profiles were on a revocation list; null if that is unknown for any of them. */
  listed: number | null;
  /**
   * Seconds until a RADIUS server first got the answer that one of these profiles is revoked; null if no such answer is
   * known.
   */
  refused: number | null;
}

/** Groups revocations into marks. Expects the revocations latest first, and returns the marks in that order. */
export function marksOf(revocations: readonly Revocation[]): Mark[] {
  const marks = new Map<string, Mark>();
  for (const revocation of revocations) {
    const { revokedAt, job } = revocation;
    const key = job?.id ?? revokedAt;
    const listed = secondsBetween(revokedAt, revocation.listedAt);
    const refused = secondsBetween(revokedAt, revocation.refusedAt);
    const known = marks.get(key);
    if (known === undefined) {
      marks.set(key, { revokedAt, job, devices: [revocation], listed, refused });
      continue;
    }
    known.devices.push(revocation);
    known.listed = known.listed === null || listed === null ? null : Math.max(known.listed, listed);
    known.refused = known.refused === null ? refused : Math.min(known.refused, refused ?? known.refused);
  }
  return [...marks.values()];
}

/** Returns the seconds between two times, never less than 0, because the servers' clocks differ a little. */
const secondsBetween = (from: string, to: string | null): number | null =>
  to === null ? null : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);

/** Returns the length of a bar: each doubling of the time adds the same length. */
export const lengthOf = (seconds: number | null): number => (seconds === null ? 0 : 1 + Math.log2(1 + seconds));

/** Returns the median (the lower one of two middle values); undefined if there are no values. */
export const median = (values: readonly number[]): number | undefined =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
