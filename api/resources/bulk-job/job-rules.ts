import type { Db } from "../../../db/client.ts";
import * as jobRows from "../../../db/queries/bulk-job/rows.ts";
import type { Job } from "../../../db/queries/bulk-job/jobs.ts";
import * as jobs from "../../../db/queries/bulk-job/jobs.ts";
import {
  profileScope,
  scheduledDaysMax,
  scopesOfJob,
  unfinishedRowsMax,
  type JobState,
} from "../../../domain/bulk-job/job.ts";
import { requireScope, type PrincipalFor } from "../../contract/access.ts";
import type { Fail } from "../../contract/endpoint.ts";
import { hasMade, type Principal } from "../../contract/principal.ts";

export const inState = ({ state }: Pick<Job, "state">, ...states: JobState[]): boolean => states.includes(state);

/** Why a job in its days of grace is neither stopped nor changed. */
export const graceDescription =
  "Everybody in this job is locked out already, and their devices go off later. An undo takes it back.";

/** Throws unless the token has the scopes of what a job does. */
export async function requireScopesOf(db: Db, principal: Principal, { id, kind }: Job): Promise<void> {
  const profiles = await jobRows.asksForProfiles(db, id);
  for (const scope of scopesOfJob(kind, { profiles })) requireScope(principal, scope);
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
export const mayReadOutput = (principal: PrincipalFor["admin"], job: Job): boolean =>
  hasMade(principal, job) && principal.scopes.has(profileScope);
