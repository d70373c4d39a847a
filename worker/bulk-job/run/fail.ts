import * as jobRows from "../../../db/queries/bulk-job/run/rows.ts";
import * as transitions from "../../../db/queries/bulk-job/run/transitions.ts";
import * as jobs from "../../../db/queries/bulk-job/progress.ts";
import { recountFromRows, skipAll } from "./cancel.ts";
import type { BulkJobDeps } from "../deps.ts";
import { recordEnd, reportEnd } from "../record-end.ts";
import { keepsGrace, markLockedOut } from "./lock-out.ts";
import { endWorkingRows } from "./work-rows.ts";

/**
 * Fails a job that cannot continue because of a bug. Skips rows that were not begun. Ends rows under way first, so no
 * locked-out user keeps a valid profile; in a job with a grace period, once that period has ended. If the process dies
 * in between, a worker repeats this work.
 */
export async function fail(deps: Pick<BulkJobDeps, "db" | "clock" | "log" | "onEnd">, jobId: string): Promise<void> {
  const { db, clock } = deps;
  const job = await jobs.find(db, jobId);
  if (job === undefined) return;
  await recountFromRows({ db, clock }, job);
  await skipAll({ db, clock }, job, "internal_error");
  if (keepsGrace(job) && !(await markLockedOut(deps, job))) return;
  await endWorkingRows(deps, job);
  const ended = await db.transaction(async (tx) => {
    const at = clock.now();
    if (!(await transitions.fail(tx, { realmId: job.realmId, jobId, at }))) return undefined;
    await jobRows.recount(tx, { jobId, at });
    return recordEnd(tx, { job, at });
  });
  if (ended !== undefined) reportEnd(deps, ended);
}
