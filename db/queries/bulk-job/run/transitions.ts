import type { Actor } from "../../../../domain/audit/audit.ts";
import { jobNotices } from "../../../../domain/bulk-job/job.ts";
import type { Db } from "../../../client.ts";
import { sql } from "../../../sql.ts";
import * as states from "../transition.ts";
import type { Transition } from "../transition.ts";

/** Runs. When somebody was shown what another check had found, a notice says so. */
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

/** Runs again after its days of grace; when it began is not moved. */
export const toRunningAgain = (db: Db, job: Transition): Promise<boolean> =>
  states.enter(db, job, { follows: "running", changes: [sql`state = 'running'`] });

/**
 * Everybody of an offboarding is locked out. One with days of grace waits for them to end before a profile is revoked,
 * unless nobody has one; another goes on.
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

/** Is asked to stop. */
export const toCancelling = (db: Db, { actor, ...job }: Transition & { actor: Actor }): Promise<boolean> => {
  const by = { user: actor.userId, client: actor.clientId, at: job.at.toISOString() };
  return states.enter(db, job, {
    follows: "cancelling",
    changes: [sql`state = 'cancelling', cancelled_by = ${JSON.stringify(by)}::jsonb`],
  });
};

/** Ends with every row final; `cancelled`: some of them because it was asked to stop. */
export const finish = (db: Db, { cancelled, ...job }: Transition & { cancelled: boolean }): Promise<boolean> =>
  states.enter(db, job, {
    follows: cancelled ? "cancelled" : "completed",
    changes: [
      cancelled
        ? sql`state = 'cancelled'`
        : sql`state = case when failed > 0 then 'completed_with_errors' else 'completed' end`,
      sql`finished_at = ${job.at}`,
    ],
    // What a check ends has not run: {@link endUnchanged}.
    onlyIf: sql`state <> 'checking'`,
  });

/** Ends although it cannot go on. */
export const fail = (db: Db, job: Transition): Promise<boolean> =>
  states.enter(db, job, {
    follows: "failed",
    changes: [sql`state = 'failed', error_code = 'internal_error', finished_at = ${job.at}`],
  });
