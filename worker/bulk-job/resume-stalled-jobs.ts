import * as dueJobs from "../../db/queries/bulk-job/due.ts";
import { advance } from "./advance.ts";
import type { BulkJobDeps } from "./deps.ts";

/** A job in which nothing has moved for this long is looked into. */
const quietSeconds = 10;

/** Jobs that one worker looks into at once. */
const jobsMax = 4;

/**
 * Continues jobs whose time or turn has come, and jobs that have stopped because a worker went away or the queue was emptied
 * or is away. Needs no queue.
 */
export async function resumeStalledJobs(deps: BulkJobDeps): Promise<void> {
  const due = await dueJobs.findDue(deps.db, { at: deps.clock.now(), quietSeconds, limit: jobsMax });
  await Promise.all(due.map((jobId) => advance(deps, jobId)));
}
