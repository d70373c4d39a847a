import * as offboarding from "../../db/operations/offboarding.ts";
import * as jobs from "../../db/queries/bulk-job/progress.ts";
import type { RowRange, WorkedJob } from "../../db/queries/bulk-job/progress.ts";
import type { BulkJobDeps } from "./deps.ts";
import { slicesOf, bisectOnError } from "./bisect.ts";

/** People who are locked out in one transaction. */
const sliceSize = 1_000;

/** Locks everybody out before the first profile is revoked, so that nobody signs in meanwhile. False when the job was stopped. */
export async function lockOutAll({ db, clock, log }: BulkJobDeps, job: WorkedJob): Promise<boolean> {
  const { id: jobId, realmId, actor } = job;
  const lockOut = async (slice: RowRange): Promise<boolean> => {
    const at = clock.now();
    const progress = await bisectOnError(slice, {
      work: (part) => db.transaction((tx) => offboarding.lockOutRows(tx, { ...part, realmId, actor, at })),
      giveUp: (row) => jobs.failRow(db, { ...row, code: "internal_error", at }),
      log,
    });
    return progress.every((part) => part === undefined || part.state === "running");
  };

  for (const slice of slicesOf({ jobId, from: 1, to: job.lastPosition + 1 }, sliceSize)) {
    if (!(await lockOut(slice))) return false;
  }

  await jobs.markLockedOut(db, { jobId, at: clock.now() });
  return true;
}
