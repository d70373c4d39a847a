import { z } from "zod";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import * as jobOutputs from "../../../../db/queries/bulk-job/results/outputs.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { Done, done, endpoint } from "../../../contract/endpoint.ts";
import { actorOf, hasMade } from "../../../contract/principal.ts";
import { requireScopesOf, scopesDescription } from "../job-rules.ts";

export const eraseJobResults = endpoint({
  operation: "eraseJobResults",
  summary: "Erase the files and keys of a bulk job's profiles",
  description:
    "Erases them at once instead of 24 hours after the job's end. The result of each row stays readable. The job's " +
    "creator may do this through the same client. For everybody else: " +
    scopesDescription,
  method: "delete",
  path: "/api/jobs/:id/results",
  access: "staff",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  data: Done,
  errors: ["job_not_found", "job_state"],
  unknown: { id: "job_not_found" },
  changes: true,

  handle({ params: { id: jobId }, principal, deps, change, fail }) {
    const { realmId } = principal;
    const at = deps.clock.now();
    return change(async (tx) => {
      const job = await jobs.lock(tx, { realmId, jobId, at });
      if (job === undefined) throw fail("job_not_found");
      if (!hasMade(principal, job)) await requireScopesOf(tx, principal, job);
      if (job.finishedAt === null) throw fail("job_state", { description: "The job has not ended yet." });
      const profiles = await jobOutputs.eraseOutput(tx, { realmId, jobId, at });
      if (profiles === 0) return done;
      await audit.record(tx, {
        realmId,
        event: "job_output_erase",
        actor: actorOf(principal),
        at,
        properties: { job: jobId, kind: job.kind, profiles },
      });
      return done;
    });
  },
});
