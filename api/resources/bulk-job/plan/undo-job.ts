import { z } from "zod";
import * as receiving from "../../../../db/queries/bulk-job/input/receive.ts";
import * as undo from "../../../../db/queries/bulk-job/plan/undo.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import { drawBulkJobId } from "../../../../runtime/draw-ids.ts";
import { endpoint, inBody } from "../../../contract/endpoint.ts";
import { filters } from "../../../contract/filters.ts";
import { actorOf } from "../../../contract/principal.ts";
import { JobView } from "../../../contract/views/job-view.ts";
import { answerChanged } from "../answer-job.ts";
import { requireNear } from "../job-rules.ts";
import { beginJob } from "../input/begin-job.ts";

export const undoJob = endpoint({
  operation: "undoJob",
  summary: "Undo an offboarding",
  description:
    "Runs as a job of kind `reactivation`, in which the rows keep their numbers. It reactivates exactly the people " +
    "whom the offboarding has locked out and nobody has changed since; every other row has the reason. During the " +
    "grace period it keeps devices on the network. Revoked profiles stay revoked. Locks, limits and e-mail " +
    "addresses stay as they are. An offboarding can be undone during its grace period and after its end, for as " +
    "long as it is kept, by one job at a time.",
  method: "post",
  path: "/api/jobs/:id/undo",
  access: "staff",
  scope: "job.create",
  furtherScopes: ["user.modify"],
  params: z.object({ id: BulkJobID }),
  refusedQuery: { dryRun: inBody, executeAt: inBody, graceDays: "is for an offboarding" },
  body: z.object({
    dryRun: z.boolean().nullish().describe("true: only check, change nothing, and wait to be started."),
    executeAt: filters.instant.nullish(),
    confirmTotal: z
      .int()
      .min(0)
      .nullish()
      .describe("The number of people who would regain access, if it has to be confirmed."),
  }),
  data: JobView,
  pending: JobView,
  errors: ["job_not_found", "job_state", "too_many_rows_waiting", "invalid_request"],
  unknown: { id: "job_not_found" },
  changes: true,

  async handle({ params: { id }, body, principal, deps, change, prefer, requestId, concerns, log, signal, fail }) {
    const { realmId } = principal;
    const at = deps.clock.now();
    const { executeAt = null, confirmTotal = null } = body;
    const dryRun = body.dryRun ?? false;
    requireNear(executeAt, at, fail);
    const { jobId } = await change(async (tx) => {
      const job = await jobs.lock(tx, { realmId, jobId: id, at });
      if (job === undefined) throw fail("job_not_found");
      if (job.undoUntil === null) throw fail("job_state", { description: "There is nothing that can be undone." });
      if (await undo.hasRunningUndo(tx, id)) {
        throw fail("job_state", { description: "Another undo of this job has not ended yet." });
      }
      const { people } = await undo.previewUndo(tx, { jobId: id, at });
      if (people === 0) throw fail("job_state", { description: "This job no longer locks anyone out." });
      const recorded = { dryRun, executeAt, confirmTotal, undoOf: id };
      const next = {
        ...{ ...recorded, realmId, jobId: drawBulkJobId(), kind: "reactivation" as const, columns: job.columns },
        ...{ origin: "undo" as const, actor: actorOf(principal), at, requestId },
      };
      await receiving.create(tx, next);
      const total = await undo.copyUndone(tx, { from: id, to: next.jobId });
      return beginJob(tx, next, { total, recorded, at, fail });
    });
    concerns({ bulkJobId: jobId });
    return answerChanged(jobId, "received", { principal, deps, prefer, log, signal, fail });
  },
});
