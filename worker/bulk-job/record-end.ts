import type { Db } from "../../db/client.ts";
import * as audit from "../../db/queries/audit/audit-entries.ts";
import * as jobs from "../../db/queries/bulk-job/progress.ts";
import type { BulkJobDeps } from "./deps.ts";

type Ended = { job: jobs.WorkedJob } & Awaited<ReturnType<typeof jobs.outcome>>;

/**
 * Writes the audit entry of a job that has ended. Call {@link reportEnd} with the result once the entry is committed.
 */
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
