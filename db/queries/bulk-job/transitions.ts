import type { Actor } from "../../../domain/audit.ts";
import { jobFailures, jobNotices, type JobState } from "../../../domain/bulk-job/job.ts";
import { statesBefore } from "../../../domain/bulk-job/states.ts";
import { jobProgressChannel } from "../../channels.ts";
import type { Db } from "../../client.ts";
import { join, sql, type Sql } from "../../sql.ts";
import * as checks from "./plan/check.ts";
import type { Findings } from "./plan/check.ts";
import * as jobs from "./jobs.ts";

/**
 * The states of bulk jobs. Each function is one statement and notifies those who watch the job. Those about one job answer
 * false where the state that the job is in may not be followed by the new one: then nothing has changed.
 */

interface Transition {
  realmId: string;
  jobId: string;
  at: Date;
}

/** How somebody starts a job that is ready: whatever it waited for is settled. */
interface Start {
  confirmTotal: number | null;
  /** Undefined: as it was created. */
  graceDays?: number | null | undefined;
}

async function enter(
  db: Db,
  { realmId, jobId, at }: Transition,
  {
    follows,
    changes,
    onlyIf = sql`true`,
  }: { follows: JobState; changes: readonly (Sql | undefined)[]; onlyIf?: Sql | undefined },
): Promise<boolean> {
  const given = changes.filter((change) => change !== undefined);
  const rows = await db.query(sql`
    with entered as (
      update jobs
         set ${join(given, sql`, `)}, revision = revision + 1, progress_at = ${at}
       where realm_id = ${realmId}
         and id = ${jobId}
         and state = any(${statesBefore(follows)}::text[])
         and ${onlyIf}
      returning id
    )
    select pg_notify(${jobProgressChannel}, id::text) from entered
  `);
  return rows.length > 0;
}

const started = ({ confirmTotal, graceDays }: Start): Sql =>
  graceDays === undefined
    ? sql`confirm_total = ${confirmTotal}, error_code = null`
    : sql`confirm_total = ${confirmTotal}, error_code = null, grace_days = ${graceDays}::integer`;

/** A job that has not begun counts what its check has found. */
const counts = ({ changed, unchanged, failed, skipped, profiles }: Findings): Sql =>
  sql`changed = ${changed}, unchanged = ${unchanged}, failed = ${failed}, skipped = ${skipped},
      affected_profiles = ${profiles}::integer`;

/** Waits for somebody to start it; `notice` says why, if it was to run by itself. */
export const toReady = (
  db: Db,
  {
    found,
    expectedChange,
    notice = null,
    ...job
  }: Transition & { found: Findings; expectedChange?: number; notice?: string | null },
): Promise<boolean> =>
  enter(db, job, {
    follows: "ready",
    changes: [
      sql`state = 'ready', error_code = ${notice}`,
      counts(found),
      expectedChange === undefined ? undefined : sql`expected_change = ${expectedChange}`,
    ],
  });

/** Users, or a client that acted on its own. */
type Creators = { userIds: readonly string[] } | { clientId: string };

/**
 * Stops the jobs of a realm that wait for their time or turn and whose creator, one of these, may not create them any
 * more: they wait for somebody else to start them. A job that has locked its people out already is ended all the same. Call in the transaction that ended the creators, after it.
 */
export async function stopOfEnded(
  tx: Db,
  { realmId, creators, at }: { realmId: string; creators: Creators; at: Date },
): Promise<void> {
  const ofThem =
    "userIds" in creators
      ? sql`j.created_by_user_id = any(${creators.userIds}::bigint[])`
      : sql`j.created_by_user_id is null and j.created_by_client_id = ${creators.clientId}`;
  await tx.query(sql`
    with waiting as materialized (
      select j.id
        from jobs j
       where j.realm_id = ${realmId}
         and j.finished_at is null
         and j.state in ('scheduled', 'queued')
         and j.marked_at is null
         and ${ofThem}
         and not ${jobs.hasCreator}
       order by j.id
         for no key update
    ), stopped as (
      update jobs j
         set state = 'ready', error_code = ${jobNotices.creatorEnded}, changed = f.changed, unchanged = f.unchanged,
             failed = f.failed, skipped = f.skipped, affected_profiles = f.profiles, revision = j.revision + 1,
             progress_at = ${at}
        from waiting w, lateral (${checks.findingsOf(sql`w.id`)}) f
       where j.id = w.id
      returning j.id
    )
    select pg_notify(${jobProgressChannel}, id::text) from stopped
  `);
}

/**
 * Waits for its time, by itself once it is checked or as somebody starts it; false also when that time has come. Times that
 * a job waits for are compared with the database's clock, so that no process whose own is ahead begins anything early.
 */
export const toScheduled = (
  db: Db,
  { by, ...job }: Transition & { by: { found: Findings } | { start: Start & { executeAt: Date } } },
): Promise<boolean> =>
  enter(db, job, {
    follows: "scheduled",
    changes: [
      sql`state = 'scheduled'`,
      ...("found" in by
        ? [counts(by.found), sql`expected_change = ${by.found.changed}`]
        : [started(by.start), sql`execute_at = ${by.start.executeAt}`]),
    ],
    onlyIf:
      "start" in by ? sql`state = 'ready' and ${by.start.executeAt}::timestamptz > now()` : sql`execute_at > now()`,
  });

/**
 * Waits for its turn: by itself once it is checked, as somebody starts it, or once its time has come, as {@link toScheduled}
 * says.
 */
export const toQueued = (
  db: Db,
  {
    expectedChange,
    profiles = null,
    start,
    ...job
  }: Transition & { expectedChange?: number; profiles?: number | null; start?: Start },
): Promise<boolean> =>
  enter(db, job, {
    follows: "queued",
    changes: [
      sql`state = 'queued'`,
      expectedChange === undefined
        ? undefined
        : sql`expected_change = ${expectedChange}, affected_profiles = ${profiles}::integer`,
      start && sql`${started(start)}, execute_at = null`,
    ],
    onlyIf: start
      ? sql`state = 'ready'`
      : sql`(state <> 'scheduled' or execute_at <= now()) and (state <> 'grace' or revoke_at <= now())`,
  });

/** Its days of grace end now: profiles are revoked as soon as it is its turn. */
export const endGrace = (db: Db, job: Transition): Promise<boolean> =>
  enter(db, job, {
    follows: "queued",
    changes: [sql`state = 'queued', revoke_at = ${job.at}`],
    onlyIf: sql`state = 'grace'`,
  });

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
  enter(db, job, {
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
  enter(db, job, { follows: "running", changes: [sql`state = 'running'`] });

/**
 * Everybody of an offboarding is locked out. One with days of grace waits for them to end before a profile is revoked,
 * unless nobody has one; another goes on.
 */
export const markLockedOut = (db: Db, { realmId, jobId, at }: Transition): Promise<boolean> => {
  const waits = sql`grace_days is not null and exists (
    select from job_rows r where r.job_id = jobs.id and r.status = 'working')`;
  return enter(
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
  return enter(db, job, {
    follows: "cancelling",
    changes: [sql`state = 'cancelling', cancelled_by = ${JSON.stringify(by)}::jsonb`],
  });
};

/** Ends with every row final; `cancelled`: some of them because it was asked to stop. */
export const finish = (db: Db, { cancelled, ...job }: Transition & { cancelled: boolean }): Promise<boolean> =>
  enter(db, job, {
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

/**
 * Ends with its check, which found nothing to change: as done, or as `failed` with why where no row can be carried out. Its
 * rows are final.
 */
export const endUnchanged = (db: Db, { found, ...job }: Transition & { found: Findings }): Promise<boolean> => {
  const isUsable = found.unchanged + found.skipped > 0;
  const state = isUsable ? (found.failed > 0 ? "completed_with_errors" : "completed") : "failed";
  return enter(db, job, {
    follows: state,
    changes: [
      sql`state = ${state}, finished_at = ${job.at}, expected_change = ${found.changed},
          error_code = ${isUsable ? null : jobFailures.nothingUsable}`,
      counts(found),
    ],
    onlyIf: sql`state = 'checking'`,
  });
};

/** Ends although it cannot go on. */
export const fail = (db: Db, job: Transition): Promise<boolean> =>
  enter(db, job, {
    follows: "failed",
    changes: [sql`state = 'failed', error_code = 'internal_error', finished_at = ${job.at}`],
  });
