import type { components } from "../../../../contract-types/api-types.ts";

type Revocation = components["schemas"]["RevocationsPicture"]["revocations"][number];

/** Profiles that a bulk job revoked, or that were revoked at the same instant. */
export interface Mark {
  /** The time of the last of these revocations. */
  revokedAt: string;
  job: Revocation["job"];
  devices: [Revocation, ...Revocation[]];
  /** Seconds until all these profiles were on a revocation list; null if any is not known to have been on one. */
  listed: number | null;
  /** Seconds until the first of these profiles was refused; null if none is known to have been. */
  refused: number | null;
}

/** Groups revocations, the latest first, into marks. */
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

/** Clocks of servers differ a little, so no time is before the revocation. */
const secondsBetween = (from: string, to: string | null): number | null =>
  to === null ? null : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);

/** The length of a bar: each doubling of the time adds the same length. */
export const lengthOf = (seconds: number | null): number => (seconds === null ? 0 : 1 + Math.log2(1 + seconds));

/** Undefined: there are no values. */
export const median = (values: readonly number[]): number | undefined =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
