import type { Actor } from "../../../domain/audit.ts";
import { type JobKind, type JobState } from "../../../domain/bulk-job/job.ts";
import type { AnyJobState } from "../../../domain/bulk-job/states.ts";
import { rowErrors, type RowErrorCode } from "../../../domain/bulk-job/row-errors.ts";
import type { BulkJobID } from "../../../domain/ids.ts";
import type { RevocationReason } from "../../../domain/revocation.ts";
import { runningJobsMax } from "../../../domain/limits.ts";
import { jobProgressChannel } from "../../channels.ts";
import { first, only, type Db } from "../../client.ts";
import { sql, type Sql } from "../../sql.ts";

/**
 * The worker's side of bulk jobs. Rows change only from `pending` or `working`, with the row locked, and the job's counts
 * change in the same transaction. The job's own row is locked last and for a moment.
 */

/** A job that a worker works on. What is done comes from here and from its rows, never from the queue. */
export interface WorkedJob {
  id: BulkJobID;
  realmId: string;
  kind: JobKind;
  state: AnyJobState;
  dryRun: boolean;
  /** Who asked for it: in whose name everything is done. */
  actor: Actor;
  executeAt: Date | null;
  confirmTotal: number | null;
  /** How many people, or profiles, the last check found that would change. */
  expectedChange: number | null;
  startedAt: Date | null;
  /** Offboarding: when everybody was locked out. */
  markedAt: Date | null;
  graceDays: number | null;
  /** Revocation: why. */
  reason: RevocationReason | null;
  /** The offboarding that this reactivation takes back. */
  undoOf: string | null;
  total: number;
  /** The number of the last row. Numbers may be left out: of empty lines, and of rows that were not to be tried again. */
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

/** A job as it is now. */
export async function find(db: Db, jobId: string): Promise<WorkedJob | undefined> {
  const row = first(await db.query<WorkedJobRow>(sql`select ${columns} from jobs where id = ${jobId}`));
  return row && asJob(row);
}

/** The same, held until the transaction ends. */
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

/** The condition for rows `r` of a range. */
export const inRange = ({ jobId, from, to }: RowRange): Sql =>
  sql`r.job_id = ${jobId} and r.position >= ${from} and r.position < ${to}`;

/** The rows `r` of a range that nothing was done for yet. */
export const pendingIn = (range: RowRange): Sql =>
  sql`(select r.* from job_rows r where ${inRange(range)} and r.status = 'pending')`;

/** Locks the rows of a range that nothing was done for yet. False when there are none. */
export async function lockPending(tx: Db, range: RowRange): Promise<boolean> {
  const rows = await tx.query(sql`
    select r.position from job_rows r where ${inRange(range)} and r.status = 'pending' order by r.position for update
  `);
  return rows.length > 0;
}

/** What people are told of the error `code`. */
export const messageOf = (code: Sql): Sql => sql`${JSON.stringify(rowErrors)}::jsonb ->> ${code}`;

/** Where a job stands after some of its rows have changed. */
export interface Progress {
  state: JobState;
  /** Every row is final. */
  complete: boolean;
}

/**
 * The end of a statement whose common table expression `touched` has the new status of each row that it changed: adds
 * them to the job's counts, moves the window of its rate, and notifies those who watch it. Answers a {@link Progress},
 * or nothing when nothing changed, or `onlyIf` does not hold of the job `j`.
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

/** A window is 15 to 30 seconds long. */
const windowMoves = (at: Date): Sql => sql`(${at}::timestamptz - j.rate_next_at > interval '15 seconds')`;

/** Makes the counts what the rows say. With the job's row locked by an earlier statement of the transaction. */
export async function recount(tx: Db, { jobId, at }: { jobId: string; at: Date }): Promise<void> {
  await tx.query(sql`
    update jobs j
       set changed = t.changed, unchanged = t.unchanged, failed = t.failed, skipped = t.skipped,
           rate_from_at = ${at}, rate_next_at = ${at}, rate_from_done = t.final, rate_next_done = t.final
      from (select count(*) filter (where status = 'changed')::integer as changed,
                   count(*) filter (where status = 'unchanged')::integer as unchanged,
                   count(*) filter (where status = 'failed')::integer as failed,
                   count(*) filter (where status = 'skipped')::integer as skipped,
                   count(*) filter (where status not in ('pending', 'working'))::integer as final
              from job_rows
             where job_id = ${jobId}) t
     where j.id = ${jobId}
  `);
}

/** Says that something is going on, where no row changes for a while. */
export async function touch(db: Db, { jobId, at }: { jobId: string; at: Date }): Promise<void> {
  await db.query(sql`update jobs set progress_at = ${at} where id = ${jobId} and progress_at < ${at}`);
}

/** How many rows are final, and whether any was skipped because the job was cancelled. */
export async function countFinalRows(db: Db, jobId: string): Promise<{ final: number; cancelled: boolean }> {
  return only(
    await db.query<{ final: number; cancelled: boolean }>(sql`
      select count(*) filter (where status not in ('pending', 'working'))::integer as final,
             coalesce(bool_or(status = 'skipped' and error_code = 'cancelled'), false) as cancelled
        from job_rows
       where job_id = ${jobId}
    `),
  );
}

/** Whether the job has rows that are not final. */
export async function hasUnfinishedRows(db: Db, jobId: string): Promise<boolean> {
  const { unfinished } = only(
    await db.query<{ unfinished: boolean }>(sql`
      select exists (select from job_rows where job_id = ${jobId} and status in ('pending', 'working')) as unfinished
    `),
  );
  return unfinished;
}

/** Whether rows of a range are under way. */
export async function hasWorkingRows(db: Db, range: RowRange): Promise<boolean> {
  const { working } = only(
    await db.query<{ working: boolean }>(
      sql`select exists (select from job_rows r where ${inRange(range)} and r.status = 'working') as working`,
    ),
  );
  return working;
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

/** The positions at which chunks with unfinished rows begin. */
export async function unfinishedChunks(
  db: Db,
  { jobId, chunkSize }: { jobId: string; chunkSize: number },
): Promise<number[]> {
  const rows = await db.query<{ from: number }>(sql`
    select distinct (position - 1) / ${chunkSize}::integer * ${chunkSize}::integer + 1 as "from"
      from job_rows
     where job_id = ${jobId}
       and status in ('pending', 'working')
     order by 1
  `);
  return rows.map(({ from }) => from);
}

/** Ends rows that nobody has begun and nobody will. */
export async function skip(
  db: Db,
  { code, at, ...range }: RowRange & { code: RowErrorCode; at: Date },
): Promise<Progress | undefined> {
  return first(
    await db.query<Progress>(sql`
      with touched as (
        update job_rows r
           set status = 'skipped', error_code = ${code}, message = ${rowErrors[code]}
         where ${inRange(range)}
           and r.status = 'pending'
        returning r.status
      ), ${addToCounts(range.jobId, at)}
    `),
  );
}

/** Fails one row that the database would not take, whatever it was waiting for. */
export async function failRow(
  db: Db,
  { jobId, position, code, at }: { jobId: string; position: number; code: RowErrorCode; at: Date },
): Promise<Progress | undefined> {
  return first(
    await db.query<Progress>(sql`
      with touched as (
        update job_rows
           set status = 'failed', error_code = ${code}, message = ${rowErrors[code]}
         where job_id = ${jobId}
           and position = ${position}
           and status in ('pending', 'working')
        returning status
      ), ${addToCounts(jobId, at)}
    `),
  );
}

/** Jobs of the realm that come before `j`: they run, or they have waited for longer. */
const before = (): Sql => sql`(
  select count(*)
    from jobs o
   where o.realm_id = j.realm_id
     and o.finished_at is null
     and o.id <> j.id
     and ((o.state in ('running', 'cancelling') and o.started_at is not null)
          or (o.state = 'queued' and (o.created_at, o.id) < (j.created_at, j.id))))`;

/** Whether it is a queued job's turn. Certain only with {@link lockRunQueue}. */
export async function hasCapacity(db: Db, jobId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select j.id from jobs j where j.id = ${jobId} and j.state = 'queued' and ${before()} < ${runningJobsMax}
  `);
  return rows.length > 0;
}

/** Keeps others from starting a job of the realm until the transaction ends. */
export async function lockRunQueue(tx: Db, realmId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('job turns', ${realmId}::bigint))`);
}

/**
 * Makes the job's other slices wait until the transaction ends. They would wait for one another's count anyway; waiting
 * before their work instead of after it leaves the processors to OCSP.
 */
export async function lockSlices(tx: Db, jobId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`slices of ${jobId}`}::text, 0))`);
}

/** A job that waits for its turn is looked at this often, in seconds. */
const turnSeconds = 2;

/**
 * Jobs that something should be done about: whose time has come, whose turn it is, whose days of grace are over or hold
 * nobody any more, or in which nothing has moved for a while, because a worker went away or the queue lost what it had. A
 * job that was answered is not answered to another worker for a while. The times that jobs wait for are the database's.
 */
export async function findDue(
  db: Db,
  { at, quietSeconds, limit }: { at: Date; quietSeconds: number; limit: number },
): Promise<string[]> {
  const since = (seconds: number): Sql => sql`${at}::timestamptz - make_interval(secs => ${seconds})`;
  const rows = await db.query<{ id: string }>(sql`
    with due as (
      select j.id
        from jobs j
       where j.finished_at is null
         and ((j.state = 'scheduled' and j.execute_at <= now())
              or (j.state = 'queued'
                  and coalesce(j.attended_at, '-infinity') < ${since(turnSeconds)}
                  and ${before()} < ${runningJobsMax})
              or (j.state = 'grace'
                  and coalesce(j.attended_at, '-infinity') < ${since(turnSeconds)}
                  and j.revoke_at <= now())
              or ((j.state in ('checking', 'running', 'cancelling')
                   or j.state = 'grace' and not exists (select from job_rows r
                                                         where r.job_id = j.id
                                                           and r.status in ('pending', 'working')))
                  and j.progress_at < ${since(quietSeconds)}
                  and coalesce(j.attended_at, '-infinity') < ${since(quietSeconds)}))
       order by j.created_at
       limit ${limit}
         for update of j skip locked
    )
    update jobs j
       set attended_at = ${at}
      from due
     where j.id = due.id
    returning j.id
  `);
  return rows.map(({ id }) => id);
}
