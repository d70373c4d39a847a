import { z } from "zod";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { JobView } from "../../contract/views/job-view.ts";
import { answerJob } from "./answer-job.ts";

export const getJob = endpoint({
  operation: "getJob",
  summary: "The state of a bulk job",
  description:
    "202 until it has ended, is ready to be started or is in its days of grace; with `Prefer: wait=N` the answer waits for that.",
  method: "get",
  path: "/api/jobs/:id",
  access: "staff",
  scope: "job.read",
  params: z.object({ id: BulkJobID }),
  data: JobView,
  pending: JobView,
  errors: ["job_not_found"],
  unknown: { id: "job_not_found" },

  async handle({ params: { id: jobId }, principal: { realmId }, deps, prefer, signal, fail }) {
    const found = await jobs.find(deps.db, { realmId, jobId, at: deps.clock.now() });
    if (found === undefined) throw fail("job_not_found");
    return answerJob(found, { deps, prefer, signal });
  },
});
