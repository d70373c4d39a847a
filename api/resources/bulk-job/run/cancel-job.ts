import { z } from "zod";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as transitions from "../../../../db/queries/bulk-job/run/transitions.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { endpoint } from "../../../contract/endpoint.ts";
import { actorOf } from "../../../contract/principal.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { answerChanged } from "../answer-job.ts";
import { graceDescription, requireScopesOf, scopesDescription } from "../job-rules.ts";

export const cancelJob = endpoint({
  operation: "cancelJob",
  summary: "Stop a bulk job",
  description: `Rows that are being processed are finished, and finished rows stay; all other rows are skipped. ${scopesDescription}`,
  method: "post",
  path: "/api/jobs/:id/cancel",
  access: "staff",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  data: JobView,
  pending: JobView,
  errors: ["job_not_found", "job_state"],
  unknown: { id: "job_not_found" },
  changes: true,

  async handle({ params: { id: jobId }, principal, deps, change, prefer, log, signal, fail }) {
    const { realmId } = principal;
    const actor = actorOf(principal);
    const at = deps.clock.now();
    await change(async (tx) => {
      const job = await jobs.lock(tx, { realmId, jobId, at });
      if (job === undefined) throw fail("job_not_found");
      await requireScopesOf(tx, principal, job);
      if (job.state === "cancelling") return { jobId };
      if (job.state === "grace") throw fail("job_state", { description: graceDescription });
      if (!(await transitions.toCancelling(tx, { realmId, jobId, actor, at }))) {
        throw fail("job_state", { description: "The job has ended already." });
      }
      await audit.record(tx, {
        realmId,
        event: "job_cancel",
        actor,
        at,
        properties: { job: jobId, kind: job.kind, state: job.state },
      });
      return { jobId };
    });
    return answerChanged(jobId, "cancelled", { principal, deps, prefer, log, signal, fail });
  },
});
