import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import type { Job } from "../../../db/queries/bulk-job/jobs.ts";
import type { BulkJobID } from "../../../domain/ids.ts";
import type { PrincipalFor } from "../../contract/access.ts";
import type { Fail, IncomingCall } from "../../contract/endpoint.ts";
import { waitingTime } from "../../contract/prefer.ts";
import { accepted, answered, type Reply } from "../../contract/reply.ts";
import { jobView, type JobView } from "../../contract/views/job-view.ts";
import { advance } from "./advance.ts";

type AnsweringCall = Pick<IncomingCall, "deps" | "prefer" | "signal">;
type ChangingCall = AnsweringCall &
  Pick<IncomingCall, "log"> & { principal: PrincipalFor["staff"]; fail?: Fail<"job_not_found"> };

/** Hands a changed job to the workers and replies with it. */
export async function answerChanged(
  jobId: BulkJobID,
  cause: Parameters<typeof advance>[1],
  { principal: { realmId }, fail, ...call }: ChangingCall,
): Promise<Reply<JobView>> {
  await advance(jobId, cause, call);
  const job = await jobs.find(call.deps.db, { realmId, jobId, at: call.deps.clock.now() });
  if (job === undefined) throw fail?.("job_not_found") ?? new Error(`job ${jobId} has gone`);
  return answerJob(job, call);
}

/**
 * Replies with a job: 200 once the job has ended, is ready to be started or is in its grace period. Waits for that as
 * long as the client asks; if the wait ends first, replies 202 with a time to ask again.
 */
export async function answerJob(
  found: Job,
  { deps: { jobs: watches, clock }, prefer, signal }: AnsweringCall,
): Promise<Reply<JobView>> {
  const { seconds, headers } = waitingTime(prefer, 0);
  const job = seconds > 0 && !isStopped(found) ? await awaitRest(found) : found;
  const at = clock.now();
  const location = `/api/jobs/${job.id}`;
  return isStopped(job)
    ? answered(jobView(job, at), { ...headers, Location: location })
    : accepted(jobView(job, at), { location, retryAfterSeconds: retryAfter(job, at), headers });

  async function awaitRest(last: Job): Promise<Job> {
    const deadline = performance.now() + seconds * 1_000;
    const watch = watches.watch(last.id);
    try {
      for (let job = last; ;) {
        const heard = await watch.next(deadline - performance.now(), signal());
        if (typeof heard === "string") return job;
        job = heard;
        if (isStopped(job)) return job;
      }
    } finally {
      watch.end();
    }
  }
}

/** Returns true if the job has ended, waits to be started or is in its grace period. */
const isStopped = ({ state, finishedAt }: Job): boolean =>
  finishedAt !== null || state === "ready" || state === "grace";

const retryAfterMax = 60;

/** Returns in how many seconds to ask again: 1, or the time until a scheduled job begins, 60 at most. */
const retryAfter = ({ state, executeAt }: Job, at: Date): number =>
  state === "scheduled" && executeAt !== null
    ? Math.min(Math.max(Math.ceil((executeAt.getTime() - at.getTime()) / 1_000), 1), retryAfterMax)
    : 1;
