import { z } from "zod";
import * as jobRows from "../../../db/queries/bulk-job/rows.ts";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { answered } from "../../contract/reply.ts";
import { JobView, jobView } from "../../contract/views/job-view.ts";
import { graceDescription, inState } from "./job-rules.ts";

const rowsMax = 10_000;
const positionMax = 2_147_483_647;

export const takeRowsOut = endpoint({
  operation: "takeRowsOut",
  summary: "Take people out of a bulk job before it runs",
  description: "While it is `ready` or `scheduled`. Rows that have failed, or were taken out before, stay as they are.",
  method: "delete",
  path: "/api/jobs/:id/rows",
  access: "admin",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  body: z.object({ rows: z.array(z.int().min(1).max(positionMax)).min(1).max(rowsMax).describe("Row numbers.") }),
  data: JobView,
  errors: ["job_not_found", "job_state", "invalid_request"],
  unknown: { id: "job_not_found" },
  changes: true,

  async handle({ params: { id: jobId }, body: { rows: positions }, principal: { realmId }, deps, change, fail }) {
    const at = deps.clock.now();
    await change(async (tx) => {
      const job = await jobs.lock(tx, { realmId, jobId, at });
      if (job === undefined) throw fail("job_not_found");
      if (job.state === "grace") throw fail("job_state", { description: graceDescription });
      if (!inState(job, "ready", "scheduled")) throw fail("job_state");
      const [missing] = await jobRows.findMissing(tx, { jobId, positions });
      if (missing !== undefined) {
        throw fail("invalid_request", { fields: [{ path: "rows", reason: `the job has no row ${missing}` }] });
      }
      await jobRows.takeOut(tx, { realmId, jobId, positions, at });
      await jobs.notify(tx, jobId);
      return { jobId };
    });
    const job = await jobs.find(deps.db, { realmId, jobId, at });
    if (job === undefined) throw fail("job_not_found");
    return answered(jobView(job, at), {});
  },
});
