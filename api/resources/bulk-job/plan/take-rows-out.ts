import { z } from "zod";
import * as jobRows from "../../../../db/queries/bulk-job/rows.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { endpoint } from "../../../contract/endpoint.ts";
import { answered } from "../../../contract/reply.ts";
import { JobView, jobView } from "../../../contract/views/job-view.ts";
import { lockWaitingJob, recordRows, RowNumbers, scopesDescription } from "../job-rules.ts";

export const takeRowsOut = endpoint({
  operation: "takeRowsOut",
  summary: "Take people out of a bulk job before it runs",
  description: `While it is \`ready\` or \`scheduled\`. Rows that have failed, or were taken out before, stay as they are. ${scopesDescription}`,
  method: "delete",
  path: "/api/jobs/:id/rows",
  access: "staff",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  body: RowNumbers,
  data: JobView,
  errors: ["job_not_found", "job_state", "invalid_request"],
  unknown: { id: "job_not_found" },
  changes: true,

  async handle({ params: { id: jobId }, body: { rows: positions }, principal, deps, change, fail }) {
    const { realmId } = principal;
    const at = deps.clock.now();
    await change(async (tx) => {
      const job = await lockWaitingJob(tx, { principal, jobId, positions, at, fail });
      const rows = await jobRows.takeOut(tx, { realmId, jobId, positions, at });
      await recordRows(tx, "rows_out", { principal, job, rows, at });
      await jobs.notify(tx, jobId);
      return { jobId };
    });
    const job = await jobs.find(deps.db, { realmId, jobId, at });
    if (job === undefined) throw fail("job_not_found");
    return answered(jobView(job, at), {});
  },
});
