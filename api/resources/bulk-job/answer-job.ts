import type { Job } from "../../../db/queries/bulk-job/jobs.ts";
import type { IncomingCall } from "../../contract/endpoint.ts";
import { waitingTime } from "../../contract/prefer.ts";
import { accepted, answered, type Reply } from "../../contract/reply.ts";
import { jobView, type JobView } from "../../contract/views/job-view.ts";

/**
 * Answers a job: 200 once it has ended, waits to be started or is in its days of grace, after waiting for that as long as the client would have
 * it; 202 with where to ask again until then.
 */
export async function answerJob(
  found: Job,
  { deps: { jobs, clock }, prefer, signal }: Pick<IncomingCall, "deps" | "prefer" | "signal">,
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
    const watch = jobs.watch(last.id);
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

/** Nothing more happens to it, or not until somebody says so, or for days. */
const isStopped = ({ state, finishedAt }: Job): boolean =>
  finishedAt !== null || state === "ready" || state === "grace";

const retryAfterMax = 60;

/** When asking again makes sense: in a second, or when a scheduled job begins. */
const retryAfter = ({ state, executeAt }: Job, at: Date): number =>
  state === "scheduled" && executeAt !== null
    ? Math.min(Math.max(Math.ceil((executeAt.getTime() - at.getTime()) / 1_000), 1), retryAfterMax)
    : 1;
