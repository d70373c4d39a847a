import * as dueJobs from "../../db/queries/bulk-job/due.ts";
import { advance } from "./advance.ts";
import type { BulkJobDeps } from "./deps.ts";

/** A job in which nothing has changed for this long is examined. */
const quietSeconds = 10;

/** Replaces {@link quietSeconds} while the queue is away, because each examination works only one chunk. */
const quietSecondsWithoutQueue = 2;

/** How many jobs one worker examines at the same time. */
const jobsMax = 4;

/**
 * Continues jobs whose time or turn has come, and jobs that stopped because a worker died or the queue is away or was
 * emptied. Needs no queue.
 */
export async function resumeStalledJobs(deps: BulkJobDeps, { isQueueAway = false } = {}): Promise<void> {
  const due = await dueJobs.findDue(deps.db, {
    at: deps.clock.now(),
    quietSeconds: isQueueAway ? quietSecondsWithoutQueue : quietSeconds,
    limit: jobsMax,
  });
  await Promise.all(due.map((jobId) => advance(deps, jobId)));
}
