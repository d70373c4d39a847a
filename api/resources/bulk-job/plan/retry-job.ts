import { z } from "zod";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as receiving from "../../../../db/queries/bulk-job/input/receive.ts";
import * as retry from "../../../../db/queries/bulk-job/plan/retry.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { drawBulkJobId } from "../../../../runtime/draw-ids.ts";
import { endpoint } from "../../../contract/endpoint.ts";
import { actorOf } from "../../../contract/principal.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { advance } from "../advance.ts";
import { answerJob } from "../answer-job.ts";
import { requireScopesOf, scopesDescription } from "../job-rules.ts";
import { requireRowQuota } from "../input/row-quota.ts";

export const retryJob = endpoint({
  operation: "retryJob",
  summary: "Try the failed rows of a bulk job again",
  description:
    "As a job of its own, in which the rows keep their numbers. Rows that cannot be used, and those about somebody whom " +
    "an earlier row is about, have failed there as well: correct them in the file. " +
    scopesDescription,
  method: "post",
  path: "/api/jobs/:id/retry",
  access: "staff",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  data: JobView,
  pending: JobView,
  errors: ["job_not_found", "job_state", "too_many_rows_waiting"],
  unknown: { id: "job_not_found" },
  changes: true,

  async handle({ params: { id }, principal, deps, change, prefer, requestId, concerns, log, signal, fail }) {
    const { realmId } = principal;
    const actor = actorOf(principal);
    const at = deps.clock.now();
    const { jobId } = await change(async (tx) => {
      const job = await jobs.lock(tx, { realmId, jobId: id, at });
      if (job === undefined) throw fail("job_not_found");
      await requireScopesOf(tx, principal, job);
      if (job.finishedAt === null) throw fail("job_state", { description: "The job has not ended yet." });
      const next = drawBulkJobId();
      const { kind, columns, name, rowOffset, graceDays, reason } = job;
      // What failed of an undo stays for those alone whom the undone job has locked out.
      const undoOf = job.undoOf === null ? {} : { undoOf: job.undoOf };
      const made = { realmId, jobId: next, at };
      await receiving.create(tx, {
        ...made,
        ...undoOf,
        kind,
        columns,
        name,
        rowOffset,
        dryRun: false,
        executeAt: null,
        confirmTotal: null,
        origin: "retry",
        graceDays,
        reason,
        actor,
        requestId,
      });
      const total = await retry.copyFailed(tx, { from: id, to: next });
      if (total === 0) throw fail("job_state", { description: "No row of the job has failed." });
      await requireRowQuota(tx, { realmId, rows: total, fail });
      await receiving.begin(tx, { ...made, total });
      await audit.record(tx, {
        realmId,
        event: "job_create",
        actor,
        at,
        properties: { job: next, kind, total, dryRun: false, retryOf: id },
      });
      return { jobId: next };
    });
    concerns({ bulkJobId: jobId });
    await advance(jobId, "received", { deps, log });
    const created = await jobs.find(deps.db, { realmId, jobId, at });
    if (created === undefined) throw fail("job_not_found");
    return answerJob(created, { deps, prefer, signal });
  },
});
