import { z } from "zod";
import type { Db } from "../../../../db/client.ts";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import * as checks from "../../../../db/queries/bulk-job/plan/check.ts";
import * as onboardPlan from "../../../../db/queries/bulk-job/plan/onboarding.ts";
import * as takenRows from "../../../../db/queries/bulk-job/plan/take-rows.ts";
import { BulkJobID } from "../../../../domain/ids.ts";
import type { PrincipalFor } from "../../../contract/access.ts";
import { endpoint, type Fail, type IncomingCall } from "../../../contract/endpoint.ts";
import { actorOf } from "../../../contract/principal.ts";
import { answered, type Reply } from "../../../contract/reply.ts";
import { JobView, jobView } from "../../../contract/views/job-view.ts";
import { graceDescription, requireScopesOf, scopesDescription } from "../job-rules.ts";

const rowsMax = 10_000;
const positionMax = 2_147_483_647;

/** How many row numbers an audit entry lists at most. */
const recordedMax = 100;

const shared = {
  path: "/api/jobs/:id/rows",
  access: "staff",
  scope: "job.create",
  params: z.object({ id: BulkJobID }),
  body: z.object({
    rows: z.array(z.int().min(1).max(positionMax)).min(1).max(rowsMax).describe("Row numbers."),
  }),
  data: JobView,
  errors: ["job_not_found", "job_state", "invalid_request"],
  unknown: { id: "job_not_found" },
  changes: true,
} as const;

export const takeRowsOut = endpoint({
  operation: "takeRowsOut",
  summary: "Take people out of a bulk job before it runs",
  description: `While it is \`ready\` or \`scheduled\`. Rows that have failed, or were taken out before, stay as they are. ${scopesDescription}`,
  method: "delete",
  ...shared,

  handle: (call) => take("rows_out", call, takenRows.takeOut),
});

export const takeRowsIn = endpoint({
  operation: "takeRowsIn",
  summary: "Take people back into a bulk job before it runs",
  description:
    "While it is `ready` or `scheduled`: rows that were taken out are checked again and count as before. Others stay as they " +
    `are. ${scopesDescription}`,
  method: "put",
  ...shared,

  handle: (call) =>
    take("rows_in", call, async (tx, { realmId, jobId, kind, undoOf, positions, at }) => {
      const rows = await takenRows.takeIn(tx, { jobId, positions });
      const [from, last = from] = [rows[0], rows.at(-1)];
      if (from === undefined || last === undefined) return rows;
      const terms = { realmId, kind, undoOf, at, ...(await onboardPlan.termsOf(tx, { realmId })) };
      await checks.checkRows(tx, { jobId, from, to: last + 1, terms, again: false, counted: false });
      await checks.recountExpected(tx, { realmId, jobId, at });
      return rows;
    }),
});

interface TakingCall extends Pick<IncomingCall, "deps" | "change"> {
  params: { id: BulkJobID };
  body: { rows: readonly number[] };
  principal: PrincipalFor["staff"];
  fail: Fail<(typeof shared.errors)[number]>;
}

/** The locked job, and the rows that the request is about. */
type Taking = jobs.Job & { jobId: string; positions: readonly number[]; at: Date };

/**
 * Takes rows out of a waiting job or back in, with an audit entry. `taken` makes the change and returns the numbers of
 * the changed rows.
 */
async function take(
  change: "rows_out" | "rows_in",
  { params: { id: jobId }, body: { rows: positions }, principal, deps, fail, ...call }: TakingCall,
  taken: (tx: Db, taking: Taking) => Promise<number[]>,
): Promise<Reply<JobView>> {
  const { realmId } = principal;
  const at = deps.clock.now();
  await call.change(async (tx) => {
    const job = await jobs.lock(tx, { realmId, jobId, at });
    if (job === undefined) throw fail("job_not_found");
    await requireScopesOf(tx, principal, job);
    if (job.state === "grace") throw fail("job_state", { description: graceDescription });
    if (job.state !== "ready" && job.state !== "scheduled") throw fail("job_state");
    const [missing] = await takenRows.findMissing(tx, { jobId, positions });
    if (missing !== undefined) {
      throw fail("invalid_request", { fields: [{ path: "rows", reason: `the job has no row ${missing}` }] });
    }
    const rows = await taken(tx, { ...job, jobId, positions, at });
    if (rows.length > 0) {
      await audit.record(tx, {
        realmId,
        event: "job_change",
        actor: actorOf(principal),
        at,
        properties: { job: jobId, kind: job.kind, change, total: rows.length, rows: rows.slice(0, recordedMax) },
      });
    }
    if (rows.length > 0 || change === "rows_out") await jobs.notify(tx, jobId);
    return { jobId };
  });
  const job = await jobs.find(deps.db, { realmId, jobId, at });
  if (job === undefined) throw fail("job_not_found");
  return answered(jobView(job, at), {});
}
