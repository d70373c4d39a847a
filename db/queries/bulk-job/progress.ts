import type { Actor } from "../../../domain/audit/audit.ts";
import type { JobKind, JobState } from "../../../domain/bulk-job/job.ts";
import type { AnyJobState } from "../../../domain/bulk-job/states.ts";
import { rowErrors } from "../../../domain/bulk-job/row-errors.ts";
import type { BulkJobID } from "../../../domain/ids.ts";
import type { RevocationReason } from "../../../domain/certificate/revocation.ts";
import { jobProgressChannel } from "../../channels.ts";
import { first, only, type Db } from "../../client.ts";
import { sql, type Sql } from "../../sql.ts";

/**
 * The worker's side of bulk jobs. Rows change only from `pending` or `working`, with the row locked, and the job's
 * counts change in the same transaction. The job's own row is locked last and only briefly, but a reactivation and a
 * revocation lock it first.
 */

/** A job that a worker advances. Its progress is read from here and from its rows, never from the queue. */
export interface WorkedJob {
  id: BulkJobID;
  realmId: string;
  kind: JobKind;
  state: AnyJobState;
  dryRun: boolean;
  /** The creator: the worker acts in their name. */
  actor: Actor;
  executeAt: Date | null;
  confirmTotal: number | null;
  /** How many people, or profiles, would change according to the last check. */
  expectedChange: number | null;
  startedAt: Date | null;
  /** Offboarding: when the last person was locked out. */
  markedAt: Date | null;
  graceDays: number | null;
  /** The reason of a revocation; null for another kind of job. */
  reason: RevocationReason | null;
  /** The offboarding that this reactivation undoes. */
  undoOf: string | null;
  total: number;
  /** The number of the last row. Numbers can be missing, for empty lines and for rows that a retry leaves out. */
  lastPosition: number;
  done: number;
}

type WorkedJobRow = Omit<WorkedJob, "actor"> & Actor;

const columns = sql`
  id, realm_id as "realmId", kind, state, dry_run as "dryRun", created_by_user_id as "userId",
  created_by_client_id as "clientId", execute_at as "executeAt", confirm_total as "confirmTotal",
  expected_change as "expectedChange",
  started_at as "startedAt", marked_at as "markedAt", grace_days as "graceDays",
  revocation_reason as reason, undo_of as "undoOf", total, changed + unchanged + failed + skipped as done,
  (select coalesce(max(position), 0) from job_rows where job_id = jobs.id) as "lastPosition"`;

const asJob = ({ userId, clientId, ...job }: WorkedJobRow): WorkedJob => ({ ...job, actor: { userId, clientId } });

/** Returns the current state of a job. */
export async function find(db: Db, jobId: string): Promise<WorkedJob | undefined> {
  const row = first(await db.query<WorkedJobRow>(sql`select ${columns} from jobs where id = ${jobId}`));
  return row && asJob(row);
}

/** Returns a job with its row locked until the transaction ends. */
export async function lock(tx: Db, jobId: string): Promise<WorkedJob | undefined> {
  const row = first(await tx.query<WorkedJobRow>(sql`select ${columns} from jobs where id = ${jobId} for update`));
  return row && asJob(row);
}

/** Rows of a job at positions `from` (inclusive) to `to` (exclusive). */
export interface RowRange {
  jobId: string;
  from: number;
  to: number;
}

/** Returns the condition for rows `r` of a range. */
export const inRange = ({ jobId, from, to }: RowRange): Sql =>
  sql`r.job_id = ${jobId} and r.position >= ${from} and r.position < ${to}`;

/** Returns the message of the error `code`. */
export const messageOf = (code: Sql): Sql => sql`${JSON.stringify(rowErrors)}::jsonb ->> ${code}`;

/** Returns the message of a row about the same `subject` as the row at position `first`. */
export const duplicateOf = (subject: string, first: Sql): Sql =>
  sql`${`the same ${subject} as row `}::text || ${first}`;

/** A job's state after some of its rows have changed. */
export interface Progress {
  state: JobState;
  /** Whether every row is final. */
  complete: boolean;
}

/**
 * Returns the end of a statement whose common table expression `touched` has the new status of each row that the
 * statement changed. This end adds the changed rows to the job's counts, moves the window of its rate, and notifies its
 * watchers. It selects a {@link Progress}, or nothing if nothing changed or `onlyIf` does not hold for the job `j`.
 */
export const addToCounts = (jobId: string, at: Date, onlyIf: Sql = sql`true`): Sql => sql`
  counted as (
    update jobs j
       set changed = j.changed + t.changed, unchanged = j.unchanged + t.unchanged,
           failed = j.failed + t.failed, skipped = j.skipped + t.skipped,
           revision = j.revision + 1,
           progress_at = greatest(j.progress_at, ${at}),
           rate_from_at = case when ${windowMoves(at)} then j.rate_next_at else coalesce(j.rate_from_at, ${at}) end,
           rate_from_done = case when ${windowMoves(at)} then j.rate_next_done else j.rate_from_done end,
           rate_next_at = case when ${windowMoves(at)} then ${at} else coalesce(j.rate_next_at, ${at}) end,
           rate_next_done = case when ${windowMoves(at)} then j.changed + j.unchanged + j.failed + j.skipped + t.final
                                 else j.rate_next_done end
      from (select count(*) filter (where status = 'changed')::integer as changed,
                   count(*) filter (where status = 'unchanged')::integer as unchanged,
                   count(*) filter (where status = 'failed')::integer as failed,
                   count(*) filter (where status = 'skipped')::integer as skipped,
                   count(*) filter (where status in ('changed', 'unchanged', 'failed', 'skipped'))::integer as final,
                   count(*) as touched
              from touched) t
     where j.id = ${jobId}
       and t.touched > 0
       and ${onlyIf}
    returning j.state, j.changed + j.unchanged + j.failed + j.skipped = j.total as complete, j.id
  )
  select state, complete, pg_notify(${jobProgressChannel}, id::text) from counted`;

/** Tests whether the window moves: a window is 15 to 30 seconds long. */
const windowMoves = (at: Date): Sql => sql`(${at}::timestamptz - j.rate_next_at > interval '15 seconds')`;

/** Records that a job is progressing although no row changes for a while. */
export async function touch(db: Db, { jobId, at }: { jobId: string; at: Date }): Promise<void> {
  await db.query(sql`update jobs set progress_at = ${at} where id = ${jobId} and progress_at < ${at}`);
}

/** How a job ended, in the words of its audit entry. */
export interface Outcome {
  state: JobState;
  total: number;
  changed: number;
  unchanged: number;
  failed: number;
  skipped: number;
}

export const outcome = async (tx: Db, jobId: string): Promise<Outcome> =>
  only(
    await tx.query<Outcome>(
      sql`select state, total, changed, unchanged, failed, skipped from jobs where id = ${jobId}`,
    ),
  );
