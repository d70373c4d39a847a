import { z } from "zod";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../domain/ids.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";

export const eraseJobResults = endpoint({
  operation: "eraseJobResults",
  summary: "Erase the files and keys that a bulk job gave out",
  description: "At once instead of 24 hours after its end. What became of each row can still be read.",
  method: "delete",
  path: "/api/jobs/:id/results",
  access: "staff",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  data: Done,
  errors: ["job_not_found", "job_state"],
  unknown: { id: "job_not_found" },
  changes: true,

  handle({ params: { id: jobId }, principal: { realmId }, deps, change, fail }) {
    const at = deps.clock.now();
    return change(async (tx) => {
      const job = await jobs.lock(tx, { realmId, jobId, at });
      if (job === undefined) throw fail("job_not_found");
      if (job.finishedAt === null) throw fail("job_state", { description: "The job has not ended yet." });
      await jobs.eraseOutput(tx, { realmId, jobId, at });
      return done;
    });
  },
});
