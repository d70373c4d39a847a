import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as jobRows from "../../../db/queries/bulk-job/rows.ts";
import type { Job } from "../../../db/queries/bulk-job/jobs.ts";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import { profileScope, scopesOfJob, type JobState } from "../../../domain/bulk-job/job.ts";
import { scheduledDaysMax } from "../../../domain/lifetimes.ts";
import { unfinishedRowsMax } from "../../../domain/limits.ts";
import { hasStaffScope, requireStaffScope, type PrincipalFor } from "../../contract/access.ts";
import type { Fail } from "../../contract/endpoint.ts";
import { actorOf, hasMade } from "../../contract/principal.ts";

export const inState = ({ state }: Pick<Job, "state">, ...states: JobState[]): boolean => states.includes(state);

/** Why a job in its days of grace is neither stopped nor changed. */
export const graceDescription =
  "Everybody in this job is locked out already, and their devices go off later. An undo takes it back.";

/** Describes the scopes that every action on a job needs in addition to the scope for jobs. */
export const scopesDescription =
  "Needs the scopes of what the job does: `user.modify`, `user.delete` or `profile.delete`, and `profile.create` where rows ask for profiles.";

/** Throws unless the caller has the scopes of what a job does. */
export async function requireScopesOf(
  db: Db,
  principal: PrincipalFor["staff"],
  { id, kind, hasOutput }: Job,
): Promise<void> {
  const profiles = hasOutput || (await jobRows.asksForProfiles(db, id));
  for (const scope of scopesOfJob(kind, { profiles })) requireStaffScope(principal, scope);
}

const rowsMax = 10_000;
const positionMax = 2_147_483_647;

/** Which rows of a job a request is about. */
export const RowNumbers = z.object({
  rows: z.array(z.int().min(1).max(positionMax)).min(1).max(rowsMax).describe("Row numbers."),
});

/**
 * Locks a job whose rows can still be taken out and in. Fails when it is in another state, or lacks one of the rows, and
 * when the caller lacks a scope of what it does.
 */
export async function lockWaitingJob(
  tx: Db,
  {
    principal,
    jobId,
    positions,
    at,
    fail,
  }: {
    principal: PrincipalFor["staff"];
    jobId: string;
    positions: readonly number[];
    at: Date;
    fail: Fail<"job_not_found" | "job_state" | "invalid_request">;
  },
): Promise<Job> {
  const job = await jobs.lock(tx, { realmId: principal.realmId, jobId, at });
  if (job === undefined) throw fail("job_not_found");
  await requireScopesOf(tx, principal, job);
  if (job.state === "grace") throw fail("job_state", { description: graceDescription });
  if (!inState(job, "ready", "scheduled")) throw fail("job_state");
  const [missing] = await jobRows.findMissing(tx, { jobId, positions });
  if (missing !== undefined) {
    throw fail("invalid_request", { fields: [{ path: "rows", reason: `the job has no row ${missing}` }] });
  }
  return job;
}

/** How many row numbers an audit entry lists at most. */
const recordedMax = 100;

/** Writes the audit entry of rows that were taken out of a job that waits, or back in; none where there were none. */
export async function recordRows(
  tx: Db,
  change: "rows_out" | "rows_in",
  { principal, job, rows, at }: { principal: PrincipalFor["staff"]; job: Job; rows: readonly number[]; at: Date },
): Promise<void> {
  if (rows.length === 0) return;
  await audit.record(tx, {
    realmId: principal.realmId,
    event: "job_change",
    actor: actorOf(principal),
    at,
    properties: { job: job.id, kind: job.kind, change, total: rows.length, rows: rows.slice(0, recordedMax) },
  });
}

const waitSeconds = 60;

/** Fails when the realm has too many unfinished rows for so many more. Holds others of the realm until the transaction ends. */
export async function requireRowQuota(
  tx: Db,
  { realmId, rows, fail }: { realmId: string; rows: number; fail: Fail<"too_many_rows_waiting"> },
): Promise<void> {
  const waiting = await jobs.lockWaitingRows(tx, realmId);
  if (waiting + rows <= unfinishedRowsMax) return;
  throw fail("too_many_rows_waiting", {
    description: `${waiting} rows of this realm's jobs are waiting; there may be ${unfinishedRowsMax}. Try again when some are done.`,
    retryAfterSeconds: waitSeconds,
  });
}

/** Fails when a job is to run later than it may be scheduled. */
export function requireNear(executeAt: Date | null, at: Date, fail: Fail<"invalid_request">): void {
  if (executeAt === null || executeAt.getTime() - at.getTime() <= scheduledDaysMax * 24 * 3_600_000) return;
  throw fail("invalid_request", {
    fields: [{ path: "executeAt", reason: `must be within ${scheduledDaysMax} days` }],
  });
}

/** Files and keys are for the job's creator, through the same client, with the scope that creating them needs. */
export const mayReadOutput = (principal: PrincipalFor["staff"], job: Job): boolean =>
  hasMade(principal, job) && hasStaffScope(principal, profileScope);
