import type { Db } from "../../db/client.ts";
import * as audit from "../../db/queries/audit/audit-entries.ts";
import * as transitions from "../../db/queries/bulk-job/transitions.ts";
import * as jobs from "../../db/queries/bulk-job/progress.ts";
import type { AnyJobState } from "../../domain/bulk-job/states.ts";
import type { BulkJobDeps } from "./deps.ts";

const unfinished: ReadonlySet<AnyJobState> = new Set(["running", "grace", "cancelling"]);

/** Ends a job all of whose rows are final, with its audit entry. In its days of grace these can only have been undone. False when it has others, or has ended before. */
export function finish(
  { db, clock, log, onEnd }: Pick<BulkJobDeps, "db" | "clock" | "log" | "onEnd">,
  jobId: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const at = clock.now();
    const job = await jobs.lock(tx, jobId);
    if (job === undefined || !unfinished.has(job.state)) return false;
    if (await jobs.hasUnfinishedRows(tx, jobId)) return false;
    if (job.done !== job.total) {
      log.error(
        { event: "job.miscounted", bulkJobId: jobId, done: job.done, total: job.total },
        "a job was miscounted",
      );
      await jobs.recount(tx, { jobId, at });
    }
    const cancelled = job.state === "grace" || (await jobs.countFinalRows(tx, jobId)).cancelled;
    await transitions.finish(tx, { realmId: job.realmId, jobId, cancelled, at });
    await recordEnd({ tx, log, onEnd }, { job, at });
    return true;
  });
}

/** Writes the audit entry of a job that has just ended. */
export async function recordEnd(
  { tx, log, onEnd }: { tx: Db } & Pick<BulkJobDeps, "log" | "onEnd">,
  { job: { id: jobId, realmId, kind, actor }, at }: { job: jobs.WorkedJob; at: Date },
): Promise<void> {
  const { state, ...counts } = await jobs.outcome(tx, jobId);
  await audit.record(tx, {
    realmId,
    event: "job_finish",
    actor,
    at,
    properties: { job: jobId, kind, state, ...counts },
  });
  const { changed, unchanged, failed, skipped } = counts;
  onEnd(kind, { changed, unchanged, failed, skipped });
  log.info({ event: "job.finished", bulkJobId: jobId, kind, state, ...counts }, "bulk job finished");
}
