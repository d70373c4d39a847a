import type { Db } from "../../../db/client.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as transitions from "../../../db/queries/bulk-job/transitions.ts";
import * as jobs from "../../../db/queries/bulk-job/progress.ts";
import type { AnyJobState } from "../../../domain/bulk-job/states.ts";
import type { BulkJobDeps } from "../deps.ts";

const unfinished: ReadonlySet<AnyJobState> = new Set(["running", "grace", "cancelling"]);

/**
 * Ends a job all of whose rows are final, with its audit entry. In its days of grace these can only have been undone.
 * Returns false if it has others, or has ended before.
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
    if (await jobs.hasUnfinishedRows(tx, jobId)) return undefined;
    if (job.done !== job.total) {
      log.error(
        { event: "job.miscounted", bulkJobId: jobId, done: job.done, total: job.total },
        "a job was miscounted",
      );
      await jobs.recount(tx, { jobId, at });
    }
    const cancelled = job.state === "grace" || (await jobs.countFinalRows(tx, jobId)).cancelled;
    await transitions.finish(tx, { realmId: job.realmId, jobId, cancelled, at });
    return recordEnd(tx, { job, at });
  });
  if (ended === undefined) return false;
  reportEnd(deps, ended);
  return true;
}

type Ended = { job: jobs.WorkedJob } & Awaited<ReturnType<typeof jobs.outcome>>;

/** Writes the audit entry of a job that has just ended. Call {@link reportEnd} with the result once it is committed. */
export async function recordEnd(tx: Db, { job, at }: { job: jobs.WorkedJob; at: Date }): Promise<Ended> {
  const { id: jobId, realmId, kind, actor } = job;
  const outcome = await jobs.outcome(tx, jobId);
  const { state, ...counts } = outcome;
  await audit.record(tx, {
    realmId,
    event: "job_finish",
    actor,
    at,
    properties: { job: jobId, kind, state, ...counts },
  });
  return { job, ...outcome };
}

/** Counts and logs a job whose end is committed. */
export function reportEnd(
  { log, onEnd }: Pick<BulkJobDeps, "log" | "onEnd">,
  { job: { id: jobId, kind }, state, ...counts }: Ended,
): void {
  const { changed, unchanged, failed, skipped } = counts;
  onEnd(kind, { changed, unchanged, failed, skipped });
  log.info({ event: "job.finished", bulkJobId: jobId, kind, state, ...counts }, "bulk job finished");
}
