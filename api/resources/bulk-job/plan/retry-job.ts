import { z } from "zod";
import * as receiving from "../../../../db/queries/bulk-job/input/receive.ts";
import * as retry from "../../../../db/queries/bulk-job/plan/retry.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { drawBulkJobId } from "../../../../runtime/draw-ids.ts";
import { endpoint } from "../../../contract/endpoint.ts";
import { actorOf } from "../../../contract/principal.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { answerChanged } from "../answer-job.ts";
import { requireScopesOf, scopesDescription } from "../job-rules.ts";
import { beginJob } from "../input/begin-job.ts";

const runsAsBefore = "is not for a retry, which runs at once with the job's settings";

export const retryJob = endpoint({
  operation: "retryJob",
  summary: "Try the failed rows of a bulk job again",
  description:
    "Runs as a new job, in which the rows keep their numbers. Invalid rows, and rows about a person of an earlier " +
    "row, fail again: correct them in the file. " +
    scopesDescription,
  method: "post",
  path: "/api/jobs/:id/retry",
  access: "staff",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  refusedQuery: { dryRun: runsAsBefore, executeAt: runsAsBefore, graceDays: runsAsBefore },
  data: JobView,
  pending: JobView,
  errors: ["job_not_found", "job_state", "too_many_rows_waiting"],
  unknown: { id: "job_not_found" },
  changes: true,

  async handle({ params: { id }, principal, deps, change, prefer, requestId, concerns, log, signal, fail }) {
    const { realmId } = principal;
    const at = deps.clock.now();
    const { jobId } = await change(async (tx) => {
      const job = await jobs.lock(tx, { realmId, jobId: id, at });
      if (job === undefined) throw fail("job_not_found");
      await requireScopesOf(tx, principal, job);
      if (job.finishedAt === null) throw fail("job_state", { description: "The job has not ended yet." });
      const { kind, columns, name, rowOffset, graceDays, reason, undoOf } = job;
      const next = {
        ...{ realmId, jobId: drawBulkJobId(), kind, columns, name, rowOffset, graceDays, reason },
        ...{ dryRun: false, executeAt: null, confirmTotal: null, origin: "retry" as const },
        // A retry of an undo still lets in only people whom the undone job locked out.
        ...(undoOf !== null && { undoOf }),
        ...{ actor: actorOf(principal), at, requestId },
      };
      await receiving.create(tx, next);
      const total = await retry.copyFailed(tx, { from: id, to: next.jobId });
      if (total === 0) throw fail("job_state", { description: "No row of the job has failed." });
      return beginJob(tx, next, { total, recorded: { dryRun: false, retryOf: id }, at, fail });
    });
    concerns({ bulkJobId: jobId });
    return answerChanged(jobId, "received", { principal, deps, prefer, log, signal, fail });
  },
});
