import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import type { PageRequest } from "../pages/page-request.ts";

/** Whether a profile works, as far as the network's questions about it tell. */
export type Check =
  | { state: "asked"; at: Date }
  /** Nobody asked, yet or after a time in which somebody should have. */
  | { state: "waiting" | "nothing"; serialNumber: string };

/** So long after the download somebody should have asked. */
const patienceMs = 3 * 60_000;

/** What there is to say after the download; undefined: nothing, or that nobody asked where nobody asks about anything. */
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
