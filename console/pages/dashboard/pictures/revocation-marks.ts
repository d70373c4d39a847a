import type { components } from "../../../../contract-types/api-types.ts";

type Revocation = components["schemas"]["RevocationsPicture"]["revocations"][number];

/** Profiles that were revoked at the same instant, as by a bulk job. */
export interface Mark {
  revokedAt: string;
  devices: [Revocation, ...Revocation[]];
  /** Seconds until the last of them was on a list; null: not all are, as far as known. */
  listed: number | null;
  /** Seconds until the first of them was refused; null: none was, as far as known. */
  refused: number | null;
}

/** Groups revocations, the latest first, into marks. */
export function marksOf(revocations: readonly Revocation[]): Mark[] {
  const marks: Mark[] = [];
  for (const revocation of revocations) {
    const { revokedAt } = revocation;
    const listed = secondsBetween(revokedAt, revocation.listedAt);
    const refused = secondsBetween(revokedAt, revocation.refusedAt);
    const last = marks.at(-1);
    if (last?.revokedAt !== revokedAt) {
      marks.push({ revokedAt, devices: [revocation], listed, refused });
      continue;
    }
    last.devices.push(revocation);
    last.listed = last.listed === null || listed === null ? null : Math.max(last.listed, listed);
    last.refused = last.refused === null ? refused : Math.min(last.refused, refused ?? last.refused);
  }
  return marks;
}

/** Clocks of servers differ a little: nothing comes before the revocation. */
const secondsBetween = (from: string, to: string | null): number | null =>
  to === null ? null : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);

/** The length of a bar: each doubling of the time adds the same. */
export const lengthOf = (seconds: number | null): number => (seconds === null ? 0 : 1 + Math.log2(1 + seconds));

/** Undefined: there are no values. */
export const median = (values: readonly number[]): number | undefined =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
