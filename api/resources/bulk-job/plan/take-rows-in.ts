import { z } from "zod";
import * as checks from "../../../../db/queries/bulk-job/plan/check.ts";
import * as jobRows from "../../../../db/queries/bulk-job/rows.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import * as onboardPlan from "../../../../db/queries/bulk-job/plan/onboarding.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { endpoint } from "../../../contract/endpoint.ts";
import { answered } from "../../../contract/reply.ts";
import { JobView, jobView } from "../../../contract/views/job-view.ts";
import { lockWaitingJob, recordRows, RowNumbers, scopesDescription } from "../job-rules.ts";

export const takeRowsIn = endpoint({
  operation: "takeRowsIn",
  summary: "Take people back into a bulk job before it runs",
  description:
    "While it is `ready` or `scheduled`: rows that were taken out are checked again and count as before. Others stay as they " +
    `are. ${scopesDescription}`,
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

  async handle({ params: { id: jobId }, body: { rows: positions }, principal, deps, change, fail }) {
    const { realmId } = principal;
    const at = deps.clock.now();
    await change(async (tx) => {
      const job = await lockWaitingJob(tx, { principal, jobId, positions, at, fail });
      const { kind, undoOf } = job;
      const rows = await jobRows.takeIn(tx, { jobId, positions });
      const [from, last = from] = [rows[0], rows.at(-1)];
      if (from !== undefined && last !== undefined) {
        const range = { from, to: last + 1 };
        const terms = { realmId, kind, undoOf, at, ...(await onboardPlan.termsOf(tx, { realmId })) };
        await checks.checkRows(tx, { jobId, ...range, terms, again: false, counted: false });
        await checks.recountExpected(tx, { realmId, jobId, at });
        await recordRows(tx, "rows_in", { principal, job, rows, at });
        await jobs.notify(tx, jobId);
      }
      return { jobId };
    });
    const job = await jobs.find(deps.db, { realmId, jobId, at });
    if (job === undefined) throw fail("job_not_found");
    return answered(jobView(job, at), {});
  },
});
