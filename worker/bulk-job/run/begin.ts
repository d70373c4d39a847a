import * as checks from "../../../db/queries/bulk-job/plan/check.ts";
import * as confirmation from "../../../db/queries/bulk-job/plan/confirmation.ts";
import * as access from "../../../db/queries/bulk-job/access.ts";
import * as waiting from "../../../db/queries/bulk-job/plan/transitions.ts";
import * as jobRows from "../../../db/queries/bulk-job/run/rows.ts";
import * as transitions from "../../../db/queries/bulk-job/run/transitions.ts";
import * as turns from "../../../db/queries/bulk-job/run/turns.ts";
import * as jobs from "../../../db/queries/bulk-job/progress.ts";
import type { WorkedJob } from "../../../db/queries/bulk-job/progress.ts";
import * as removals from "../../../db/queries/realm/removals.ts";
import type { Db } from "../../../db/client.ts";
import { jobNotices, kindsOfJob } from "../../../domain/bulk-job/job.ts";
import { checkAll } from "../plan/check.ts";
import type { BulkJobDeps } from "../deps.ts";

/**
 * Runs a queued job if it is the job's turn: a realm runs few jobs at the same time. First repeats the check whose
 * findings a user was shown, and records any changes. If the creator could no longer create the job, it becomes `ready`
 * for another user to start; it also becomes `ready` if its number of removals needs confirmation since the check.
 * Returns false if it is not the job's turn.
 */
export async function begin(deps: BulkJobDeps, job: WorkedJob): Promise<boolean> {
  const { db, clock, log } = deps;
  if (!(await turns.hasCapacity(db, job.id))) return false;

  // The job has run before and locked its people out; only the revocations decided then are left.
  if (job.markedAt !== null) return resume(deps, job);

  // Before the run, counts above the number of final rows are the findings of a check.
  const shown = job.done > (await jobRows.countFinalRows(db, job.id)).final;
  if (shown && !(await checkAll(deps, job, { again: true }))) return true;

  const its = { realmId: job.realmId, jobId: job.id };
  return db.transaction(async (tx) => {
    const at = clock.now();
    await turns.lockRunQueue(tx, job.realmId);
    const locked = await jobs.lock(tx, job.id);
    if (locked?.state !== "queued") return true;
    if (!(await turns.hasCapacity(tx, job.id))) return false;
    const found = await checks.findings(tx, job.id);
    if (!(await access.creatorMayRun(tx, job.id))) {
      await waiting.toReady(tx, { ...its, found, notice: jobNotices.creatorEnded, at });
      log.warn(
        { event: "job.creator_ended", bulkJobId: job.id },
        "the creator of a bulk job is no longer allowed to run it; the job waits for another user",
      );
      return true;
    }
    const expectedChange = found.changed;
    if (!(await admitRemovals(tx, locked, { expectedChange, at }))) {
      const notice = jobNotices.confirmationRequired;
      await waiting.toReady(tx, { ...its, found, expectedChange, notice, at });
      return true;
    }
    await jobRows.recount(tx, { jobId: job.id, at });
    await transitions.toRunning(tx, {
      ...its,
      expectedChange,
      profiles: found.profiles,
      wasShown: shown,
      at,
    });
    return true;
  });
}

/**
 * Counts a job's removals of access in the realm, unless a user has confirmed their number. Returns false, counting
 * nothing, if a user has to confirm the number now, because it or the realm's other removals have changed since the
 * check.
 */
async function admitRemovals(
  tx: Db,
  { realmId, kind, confirmTotal, expectedChange: shown }: WorkedJob,
  { expectedChange, at }: { expectedChange: number; at: Date },
): Promise<boolean> {
  if (!kindsOfJob[kind].takesAway) return true;
  if (confirmTotal !== null && (confirmTotal === shown || confirmTotal === expectedChange)) return true;
  await removals.lock(tx, realmId);
  if (await confirmation.needsConfirmation(tx, { realmId, kind, expectedChange, at })) return false;
  await removals.add(tx, { realmId, count: expectedChange, at });
  return true;
}

/** Runs a job whose grace period has ended. */
function resume({ db, clock }: BulkJobDeps, { id: jobId, realmId }: WorkedJob): Promise<boolean> {
  return db.transaction(async (tx) => {
    const at = clock.now();
    await turns.lockRunQueue(tx, realmId);
    const locked = await jobs.lock(tx, jobId);
    if (locked?.state !== "queued") return true;
    if (!(await turns.hasCapacity(tx, jobId))) return false;
    await jobRows.recount(tx, { jobId, at });
    return transitions.toRunningAgain(tx, { realmId, jobId, at });
  });
}
