import { jobFailures, jobNotices } from "../../../../domain/bulk-job/job.ts";
import type { Findings } from "../../../../domain/bulk-job/plan/findings.ts";
import type { Db } from "../../../client.ts";
import { sql, type Sql } from "../../../sql.ts";
import * as states from "../transition.ts";
import type { Transition } from "../transition.ts";

/** The terms on which a user starts a ready job; starting it clears the job's notice. */
interface Start {
  confirmTotal: number | null;
  /** Undefined: the value from the job's creation. */
  graceDays?: number | null | undefined;
}

const started = ({ confirmTotal, graceDays }: Start): Sql =>
  graceDays === undefined
    ? sql`confirm_total = ${confirmTotal}, error_code = null`
    : sql`confirm_total = ${confirmTotal}, error_code = null, grace_days = ${graceDays}::integer`;

/** Sets the counts of a job that has not begun to the results of its check. */
const counts = ({ changed, unchanged, failed, skipped, profiles }: Findings): Sql =>
  sql`changed = ${changed}, unchanged = ${unchanged}, failed = ${failed}, skipped = ${skipped},
      affected_profiles = ${profiles}::integer`;

/**
 * Moves a job to `ready`, where a user must start it; `notice` contains the reason if the job should have started
 * without a user.
 */
export const toReady = (
  db: Db,
  {
    found,
    expectedChange,
    notice = null,
    ...job
  }: Transition & { found: Findings; expectedChange?: number; notice?: string | null },
): Promise<boolean> =>
  states.enter(db, job, {
    follows: "ready",
    changes: [
      sql`state = 'ready', error_code = ${notice}`,
      counts(found),
      expectedChange === undefined ? undefined : sql`expected_change = ${expectedChange}`,
    ],
  });

/**
 * Moves a job to `scheduled`, once it is checked or when a user starts it; also returns false if the job's time has
 * already come. Times that a job waits for are compared with the database's clock, so a process whose clock is ahead
 * begins nothing early.
 */
export const toScheduled = (
  db: Db,
  { by, ...job }: Transition & { by: { found: Findings } | { start: Start & { executeAt: Date } } },
): Promise<boolean> =>
  states.enter(db, job, {
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
 * Moves a job to `queued`: once it is checked, when a user starts it, or when its time has come (see {@link
 * toScheduled}) or its grace period has ended.
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
  states.enter(db, job, {
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

/** Ends a job's grace period now, even if the job is held: the job revokes its profiles as soon as its turn comes. */
export const endGrace = (db: Db, job: Transition): Promise<boolean> =>
  states.enter(db, job, {
    follows: "queued",
    changes: [
      sql`state = 'queued', revoke_at = ${job.at}, error_code = nullif(error_code, ${jobNotices.confirmationRequired})`,
    ],
    onlyIf: sql`state = 'grace'`,
  });

/**
 * Ends a job whose check found nothing to change: as completed, or as `failed` with a reason if no row is usable. Its
 * rows are final.
 */
export const endUnchanged = (db: Db, { found, ...job }: Transition & { found: Findings }): Promise<boolean> => {
  const isUsable = found.unchanged + found.skipped > 0;
  const state = isUsable ? (found.failed > 0 ? "completed_with_errors" : "completed") : "failed";
  return states.enter(db, job, {
    follows: state,
    changes: [
      sql`state = ${state}, finished_at = ${job.at}, expected_change = ${found.changed},
          error_code = ${isUsable ? null : jobFailures.nothingUsable}`,
      counts(found),
    ],
    onlyIf: sql`state = 'checking'`,
  });
};
