import * as offboarding from "../../../db/operations/offboarding.ts";
import * as jobs from "../../../db/queries/bulk-job/progress.ts";
import * as jobRows from "../../../db/queries/bulk-job/run/rows.ts";
import * as transitions from "../../../db/queries/bulk-job/run/transitions.ts";
import type { RowRange, WorkedJob } from "../../../db/queries/bulk-job/progress.ts";
import type { BulkJobDeps } from "../deps.ts";
import { slicesOf, bisectOnError } from "../bisect.ts";

/** How many people one transaction locks out. */
const sliceSize = 1_000;

/**
 * Locks everyone out before the first profile is revoked, so no user can sign in between. Returns false if the job was
 * stopped or waits for the end of its grace period.
 */
export async function lockOutAll({ db, clock, log }: BulkJobDeps, job: WorkedJob): Promise<boolean> {
  const { id: jobId, realmId, actor, graceDays } = job;
  const lockOut = async (slice: RowRange): Promise<boolean> => {
    const at = clock.now();
    const progress = await bisectOnError(slice, {
      work: (part) => db.transaction((tx) => offboarding.lockOutRows(tx, { ...part, realmId, graceDays, actor, at })),
      giveUp: (row) => jobRows.failRow(db, { ...row, code: "internal_error", at }),
      log,
    });
    return progress.every((part) => part === undefined || part.state === "running");
  };

  for (const slice of slicesOf({ jobId, from: 1, to: job.lastPosition + 1 }, sliceSize)) {
    if (!(await lockOut(slice))) return false;
  }

  return markLockedOut({ db, clock }, job);
}

/** Returns true if a job that stops still has to begin the grace period of the people whom it locked out. */
export const keepsGrace = ({ graceDays, startedAt, markedAt }: WorkedJob): boolean =>
  graceDays !== null && startedAt !== null && markedAt === null;

/** Records that locking out is complete. Returns false if the revocations wait for the end of the grace period. */
export async function markLockedOut(
  { db, clock }: Pick<BulkJobDeps, "db" | "clock">,
  job: WorkedJob,
): Promise<boolean> {
  await transitions.markLockedOut(db, { realmId: job.realmId, jobId: job.id, at: clock.now() });
  return (await jobs.find(db, job.id))?.state !== "grace";
}
