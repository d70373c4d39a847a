import { jobFailures } from "../../../../domain/bulk-job/job.ts";
import type { Findings } from "../../../../domain/bulk-job/plan/findings.ts";
import type { Db } from "../../../client.ts";
import { sql, type Sql } from "../../../sql.ts";
import * as states from "../transition.ts";
import type { Transition } from "../transition.ts";

/** How somebody starts a job that is ready: whatever it waited for is settled. */
interface Start {
  confirmTotal: number | null;
  /** Undefined: as it was created. */
  graceDays?: number | null | undefined;
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
  states.enter(db, job, {
    follows: "ready",
    changes: [
      sql`state = 'ready', error_code = ${notice}`,
      counts(found),
      expectedChange === undefined ? undefined : sql`expected_change = ${expectedChange}`,
    ],
  });

/**
 * Waits for its time, by itself once it is checked or as somebody starts it; false also when that time has come. Times that
 * a job waits for are compared with the database's clock, so that no process whose own is ahead begins anything early.
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

/** Its days of grace end now: profiles are revoked as soon as it is its turn. */
export const endGrace = (db: Db, job: Transition): Promise<boolean> =>
  states.enter(db, job, {
    follows: "queued",
    changes: [sql`state = 'queued', revoke_at = ${job.at}`],
    onlyIf: sql`state = 'grace'`,
  });

/**
 * Ends with its check, which found nothing to change: as done, or as `failed` with why where no row can be carried out. Its
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
