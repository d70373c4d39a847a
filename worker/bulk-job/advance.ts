import { isContention, withoutValues } from "../../db/contention.ts";
import { DatabaseUnavailable } from "../../db/outage.ts";
import * as transitions from "../../db/queries/bulk-job/plan/transitions.ts";
import * as jobRows from "../../db/queries/bulk-job/run/rows.ts";
import * as jobs from "../../db/queries/bulk-job/progress.ts";
import type { WorkedJob } from "../../db/queries/bulk-job/progress.ts";
import { chunkSize, processBulkJobRows } from "../../domain/tasks/process-bulk-job-rows.ts";
import { RetryLater } from "../../runtime/queue/queues.ts";
import { begin } from "./run/begin.ts";
import { skipPending } from "./run/cancel.ts";
import { check } from "./plan/check.ts";
import type { BulkJobDeps } from "./deps.ts";
import { fail } from "./run/fail.ts";
import { finish } from "./run/finish.ts";
import { workRows } from "./run/work-rows.ts";
import { keepsGrace, lockOutAll, markLockedOut } from "./run/lock-out.ts";

/**
 * A job fails after it could not continue this many times in a row in one process, not counting outages and contention.
 */
const failuresMax = 3;

/**
 * Advances a job as far as possible now, whatever its state. `docs/jobs.md` numbers the steps and describes what holds
 * if the process dies after each. Can be called at any time, by many workers at the same time: completed work is not
 * repeated.
 */
export async function advance(deps: BulkJobDeps, jobId: string): Promise<void> {
  try {
    for (let hasNext = true; hasNext;) {
      const job = await jobs.find(deps.db, jobId);
      hasNext = job !== undefined && (await step(deps, job));
    }
    deps.failures.delete(jobId);
  } catch (error) {
    if (error instanceof DatabaseUnavailable || isContention(error)) throw error;
    const failures = (deps.failures.get(jobId) ?? 0) + 1;
    deps.failures.set(jobId, failures);
    const fault = withoutValues(error);
    deps.log.error({ event: "job.faulty", bulkJobId: jobId, failures, fault }, "a bulk job cannot continue");
    if (failures < failuresMax) throw new RetryLater("the job did not continue");
    await fail(deps, jobId);
    deps.failures.delete(jobId);
  }
}

/** Takes one step. Returns true if the next step can follow immediately. */
async function step(deps: BulkJobDeps, job: WorkedJob): Promise<boolean> {
  switch (job.state) {
    case "checking":
      await check(deps, job);
      return true;
    case "scheduled":
      return transitions.toQueued(deps.db, { realmId: job.realmId, jobId: job.id, at: deps.clock.now() });
    case "queued":
      return begin(deps, job);
    case "running":
      if (job.kind === "offboarding" && job.markedAt === null && !(await lockOutAll(deps, job))) return true;
      await enqueueRemainingRows(deps, job);
      return false;
    case "cancelling":
      await skipPending(deps, job);
      if (keepsGrace(job) && !(await markLockedOut(deps, job))) return true;
      await enqueueRemainingRows(deps, job);
      return false;
    case "grace":
      // Ends the job if every person was reactivated; else queues it once its grace period has ended.
      if (await finish(deps, job.id)) return false;
      return transitions.toQueued(deps.db, { realmId: job.realmId, jobId: job.id, at: deps.clock.now() });
    case "receiving":
    case "ready":
    case "cancelled":
    case "completed":
    case "completed_with_errors":
    case "failed":
      return false;
  }
}

/**
 * Enqueues unfinished rows, or ends the job if every row is finished. While the queue is away, works one chunk; the job
 * then counts as stalled, and a worker continues it.
 */
async function enqueueRemainingRows(deps: BulkJobDeps, { id }: WorkedJob): Promise<void> {
  const chunks = await jobRows.unfinishedChunks(deps.db, { jobId: id, chunkSize });
  if (chunks.length === 0) {
    await finish(deps, id);
    return;
  }
  try {
    await deps.queues.enqueueAll(
      processBulkJobRows,
      chunks.map((from) => ({ version: 1 as const, jobId: id, from, to: from + chunkSize })),
    );
  } catch (error) {
    deps.log.warn(
      { event: "job.not_enqueued", bulkJobId: id, err: error },
      "the queue is away; working rows of the job without it",
    );
    const [from] = chunks as [number];
    await workRows(deps, { jobId: id, from, to: from + chunkSize }).catch(unlessLater);
  }
}

/**
 * Throws the error again, except {@link RetryLater}: another worker has the unsettled rows, or a later call continues
 * them.
 */
function unlessLater(error: unknown): void {
  if (!(error instanceof RetryLater)) throw error;
}
