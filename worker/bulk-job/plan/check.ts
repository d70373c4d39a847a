import type { Db } from "../../../db/client.ts";
import * as checks from "../../../db/queries/bulk-job/plan/check.ts";
import * as onboardPlan from "../../../db/queries/bulk-job/plan/onboarding.ts";
import * as transitions from "../../../db/queries/bulk-job/plan/transitions.ts";
import * as jobs from "../../../db/queries/bulk-job/progress.ts";
import type { WorkedJob } from "../../../db/queries/bulk-job/progress.ts";
import * as confirmation from "../../../db/queries/bulk-job/plan/confirmation.ts";
import { jobNotices } from "../../../domain/bulk-job/job.ts";
import type { Findings } from "../../../domain/bulk-job/plan/findings.ts";
import type { BulkJobDeps } from "../deps.ts";
import { slicesOf, bisectOnError } from "../bisect.ts";
import { recordEnd, reportEnd } from "../record-end.ts";

/** How many rows one statement checks. */
const sliceSize = 10_000;

/** Records in each row what the job would do with it; then ends the job, or lets it wait or run. */
export async function check(deps: BulkJobDeps, job: WorkedJob): Promise<void> {
  const { db, clock } = deps;
  await checks.failDuplicates(db, { jobId: job.id, realmId: job.realmId, kind: job.kind });
  await jobs.touch(db, { jobId: job.id, at: clock.now() });
  if (!(await checkAll(deps, job, { again: false }))) return;

  const found = await checks.findings(db, job.id);
  const { realmId, kind } = job;
  const large = await confirmation.needsConfirmation(db, {
    realmId,
    kind,
    expectedChange: found.changed,
    at: clock.now(),
  });
  if (endsUnchanged(job, found)) {
    await endUnchanged(deps, job);
    return;
  }
  await db.transaction(async (tx) => {
    const at = clock.now();
    const locked = await jobs.lock(tx, job.id);
    if (locked?.state !== "checking") return;
    const unconfirmed = large && locked.confirmTotal !== found.changed;
    await next(tx, locked, { unconfirmed, found, at });
  });
}

/** Returns true if a job would only wait to be started and then change nothing. */
const endsUnchanged = ({ dryRun }: WorkedJob, { changed }: Findings): boolean => dryRun && changed === 0;

/** Ends a job whose check found nothing to change: its rows slice by slice, then the job with its audit entry. */
async function endUnchanged(deps: BulkJobDeps, job: WorkedJob): Promise<void> {
  const { db, clock } = deps;
  const { id: jobId, realmId } = job;
  for (const slice of slicesOf({ jobId, from: 1, to: job.lastPosition + 1 }, sliceSize)) {
    if ((await jobs.find(db, jobId))?.state !== "checking") return;
    await checks.concludeUnchanged(db, slice);
    await jobs.touch(db, { jobId, at: clock.now() });
  }
  const ended = await db.transaction(async (tx) => {
    const at = clock.now();
    const locked = await jobs.lock(tx, jobId);
    if (locked?.state !== "checking") return undefined;
    const found = await checks.findings(tx, jobId);
    if (!(await transitions.endUnchanged(tx, { realmId, jobId, found, at }))) return undefined;
    return recordEnd(tx, { job: locked, at });
  });
  if (ended !== undefined) reportEnd(deps, ended);
}

/** Moves a checked job to its next state: it waits for a user, for its time, or for its turn. */
async function next(
  tx: Db,
  { id: jobId, realmId, dryRun, executeAt }: WorkedJob,
  { unconfirmed, found, at }: { unconfirmed: boolean; found: Findings; at: Date },
): Promise<boolean> {
  const job = { realmId, jobId, at };
  const expectedChange = found.changed;
  if (dryRun) return transitions.toReady(tx, { ...job, found, expectedChange });
  if (unconfirmed) {
    return transitions.toReady(tx, { ...job, found, expectedChange, notice: jobNotices.confirmationRequired });
  }
  if (executeAt !== null && (await transitions.toScheduled(tx, { ...job, by: { found } }))) return true;
  return transitions.toQueued(tx, { ...job, expectedChange, profiles: found.profiles });
}

/**
 * Checks every pending row; with `again`, also rows that were checked before. Returns false if another worker or a
 * request has advanced the job.
 */
export async function checkAll(
  { db, clock, log }: Pick<BulkJobDeps, "db" | "clock" | "log">,
  job: WorkedJob,
  { again }: { again: boolean },
): Promise<boolean> {
  for (const slice of slicesOf({ jobId: job.id, from: 1, to: job.lastPosition + 1 }, sliceSize)) {
    if ((await jobs.find(db, job.id))?.state !== job.state) return false;
    const at = clock.now();
    const terms = {
      realmId: job.realmId,
      kind: job.kind,
      undoOf: job.undoOf,
      at,
      ...(await onboardPlan.termsOf(db, job)),
    };
    await bisectOnError(slice, {
      work: (part) => checks.checkRows(db, { ...part, terms, again, counted: job.dryRun && !again }),
      giveUp: (row) => checks.expectFailure(db, { ...row, at }),
      log,
    });
  }
  return true;
}
