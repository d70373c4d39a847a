import type { Actor } from "../../../../domain/audit/audit.ts";
import { jobNotices } from "../../../../domain/bulk-job/job.ts";
import type { Db } from "../../../client.ts";
import { sql } from "../../../sql.ts";
import * as states from "../transition.ts";
import type { Transition } from "../transition.ts";

/**
 * Moves a job to `running`, with a notice if a user was shown the result of a check that expected a different change.
 */
export const toRunning = (
  db: Db,
  {
    expectedChange,
    profiles = null,
    wasShown,
    ...job
  }: Transition & { expectedChange: number; profiles?: number | null; wasShown: boolean },
): Promise<boolean> =>
  states.enter(db, job, {
    follows: "running",
    changes: [
      sql`
        state = 'running', started_at = ${job.at}, expected_change = ${expectedChange}::integer,
        affected_profiles = ${profiles}::integer,
        error_code = case when ${wasShown} and expected_change <> ${expectedChange}::integer
                          then ${jobNotices.changedSinceCheck} end`,
    ],
  });

/** Moves a job back to `running` after its grace period; its start stays. */
export const toRunningAgain = (db: Db, job: Transition): Promise<boolean> =>
  states.enter(db, job, { follows: "running", changes: [sql`state = 'running'`] });

/**
 * Records that all people of an offboarding are locked out. With a grace period, and if any user has a profile, the job
 * waits for the end of that period before it revokes profiles; otherwise it continues.
 */
export const markLockedOut = (db: Db, { realmId, jobId, at }: Transition): Promise<boolean> => {
  const waits = sql`grace_days is not null and exists (
    select from job_rows r where r.job_id = jobs.id and r.status = 'working')`;
  return states.enter(
    db,
    { realmId, jobId, at },
    {
      follows: "grace",
      changes: [
        sql`
          marked_at = ${at}, state = case when ${waits} then 'grace' else state end,
          revoke_at = case when ${waits} then ${at}::timestamptz + make_interval(days => grace_days) end`,
      ],
      onlyIf: sql`marked_at is null`,
    },
  );
};

/** Moves a job to `cancelling`. */
export const toCancelling = (db: Db, { actor, ...job }: Transition & { actor: Actor }): Promise<boolean> => {
  const by = { user: actor.userId, client: actor.clientId, at: job.at.toISOString() };
  return states.enter(db, job, {
    follows: "cancelling",
    changes: [sql`state = 'cancelling', cancelled_by = ${JSON.stringify(by)}::jsonb`],
  });
};

/** Ends a job whose rows are all final; `cancelled`: some rows are final because the job was asked to stop. */
export const finish = (db: Db, { cancelled, ...job }: Transition & { cancelled: boolean }): Promise<boolean> =>
  states.enter(db, job, {
    follows: cancelled ? "cancelled" : "completed",
    changes: [
      cancelled
        ? sql`state = 'cancelled'`
        : sql`state = case when failed > 0 then 'completed_with_errors' else 'completed' end`,
      sql`finished_at = ${job.at}`,
    ],
    // A job that ends with its check has not run: see {@link endUnchanged}.
    onlyIf: sql`state <> 'checking'`,
  });

/** Ends a job that cannot continue. */
export const fail = (db: Db, job: Transition): Promise<boolean> =>
  states.enter(db, job, {
    follows: "failed",
    changes: [sql`state = 'failed', error_code = 'internal_error', finished_at = ${job.at}`],
  });
