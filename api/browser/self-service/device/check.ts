import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import * as certificates from "../../../../db/queries/certificates/certificates.ts";
import type { PageRequest } from "../../../pages/page-request.ts";

/** A new profile's check: the profile works once a RADIUS server has asked about it. */
export type Check =
  | { state: "asked"; at: Date }
  /** No server has asked: `waiting` until one should have, then `nothing`. */
  | { state: "waiting" | "nothing"; serialNumber: string };

/** A server should have asked within this time after the download. */
const patienceMs = 3 * 60_000;

/**
 * Returns the check to show after a download; undefined without a download, or if the realm's RADIUS servers never
 * check the status of profiles.
 */
export async function findCheck(
  { deps: { db, clock } }: PageRequest,
  { realmId, downloadedAt, lastOcspAt, serialNumber }: HandOver,
): Promise<Check | undefined> {
  if (downloadedAt === null || serialNumber === null) return undefined;
  if (lastOcspAt !== null) return { state: "asked", at: lastOcspAt };
  const at = clock.now();
  if (!(await certificates.areAskedAbout(db, { realmId, at }))) return undefined;
  const isLate = at.getTime() - downloadedAt.getTime() >= patienceMs;
  return { state: isLate ? "nothing" : "waiting", serialNumber };
}
