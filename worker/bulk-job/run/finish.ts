import * as jobRows from "../../../db/queries/bulk-job/run/rows.ts";
import * as transitions from "../../../db/queries/bulk-job/run/transitions.ts";
import * as jobs from "../../../db/queries/bulk-job/progress.ts";
import type { AnyJobState } from "../../../domain/bulk-job/states.ts";
import type { BulkJobDeps } from "../deps.ts";
import { recordEnd, reportEnd } from "../record-end.ts";

const unfinished: ReadonlySet<AnyJobState> = new Set(["running", "grace", "cancelling"]);

/**
 * Ends a job whose rows are all final, with its audit entry. In a grace period, rows become final only through an undo.
 * Returns false if some rows are not final or the job is not under way.
 */
export async function finish(
  deps: Pick<BulkJobDeps, "db" | "clock" | "log" | "onEnd">,
  jobId: string,
): Promise<boolean> {
  const { db, clock, log } = deps;
  const ended = await db.transaction(async (tx) => {
    const at = clock.now();
    const job = await jobs.lock(tx, jobId);
    if (job === undefined || !unfinished.has(job.state)) return undefined;
    if (await jobRows.hasUnfinishedRows(tx, jobId)) return undefined;
    if (job.done !== job.total) {
      log.error(
        { event: "job.miscounted", bulkJobId: jobId, done: job.done, total: job.total },
        "the counts of a job did not add up; counting its rows again",
      );
      await jobRows.recount(tx, { jobId, at });
    }
    const cancelled = job.state === "grace" || (await jobRows.countFinalRows(tx, jobId)).cancelled;
    await transitions.finish(tx, { realmId: job.realmId, jobId, cancelled, at });
    return recordEnd(tx, { job, at });
  });
  if (ended === undefined) return false;
  reportEnd(deps, ended);
  return true;
}
