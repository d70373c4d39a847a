import { z } from "zod";
import * as checks from "../../../db/queries/bulk-job/check.ts";
import * as jobRows from "../../../db/queries/bulk-job/rows.ts";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import * as onboardPlan from "../../../db/queries/bulk-job/onboard.ts";
import { BulkJobID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { answered } from "../../contract/reply.ts";
import { JobView, jobView } from "../../contract/views/job-view.ts";
import { lockWaitingJob, RowNumbers } from "./job-rules.ts";

export const takeRowsIn = endpoint({
  operation: "takeRowsIn",
  summary: "Take people back into a bulk job before it runs",
  description:
    "While it is `ready` or `scheduled`: rows that were taken out are checked again and count as before. Others stay as they are.",
  method: "put",
  path: "/api/jobs/:id/rows",
  access: "staff",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  body: RowNumbers,
  data: JobView,
  errors: ["job_not_found", "job_state", "invalid_request"],
  unknown: { id: "job_not_found" },
  changes: true,

  async handle({ params: { id: jobId }, body: { rows: positions }, principal: { realmId }, deps, change, fail }) {
    const at = deps.clock.now();
    await change(async (tx) => {
      const { kind, undoOf } = await lockWaitingJob(tx, { realmId, jobId, positions, at, fail });
      const range = await jobRows.takeIn(tx, { jobId, positions });
      if (range !== undefined) {
        const terms = { realmId, kind, undoOf, at, ...(await onboardPlan.termsOf(tx, { realmId })) };
        await checks.checkRows(tx, { jobId, ...range, terms, again: false, counted: false });
        await checks.recountExpected(tx, { realmId, jobId, at });
        await jobs.notify(tx, jobId);
      }
      return { jobId };
    });
    const job = await jobs.find(deps.db, { realmId, jobId, at });
    if (job === undefined) throw fail("job_not_found");
    return answered(jobView(job, at), {});
  },
});
