import { rowErrors, type RowErrorCode } from "../../../../domain/bulk-job/row-errors.ts";
import { first, only, type Db } from "../../../client.ts";
import { sql, type Sql } from "../../../sql.ts";
import * as offboardPlan from "../plan/offboarding.ts";
import * as progress from "../progress.ts";
import type { Progress, RowRange } from "../progress.ts";

/** Selects the pending rows `r` of a range, as a table. */
export const pendingIn = (range: RowRange): Sql =>
  sql`(select r.* from job_rows r where ${progress.inRange(range)} and r.status = 'pending')`;

/** Locks the pending rows of a range. Returns false if no row is pending. */
export async function lockPending(tx: Db, range: RowRange): Promise<boolean> {
  const rows = await tx.query(sql`
    select r.position from job_rows r where ${progress.inRange(range)} and r.status = 'pending' order by r.position for update
  `);
  return rows.length > 0;
}

/**
 * Locks the pending rows of a range, then the rows of their users for whom `changes` holds (a condition over `p` as in
 * {@link offboardPlan.resolved}), in the order of the users' ids. Returns these users; undefined if no row is pending.
 */
export async function lockPendingPeople(
  tx: Db,
  { realmId, changes, ...range }: RowRange & { realmId: string; changes: Sql },
): Promise<string[] | undefined> {
  if (!(await lockPending(tx, range))) return undefined;
  const users = await tx.query<{ id: string }>(sql`
    with people as materialized (${offboardPlan.resolved(pendingIn(range), realmId)})
    select u.id
      from users u
     where u.id = any(array(select p.user_id from people p where ${changes}))
     order by u.id
       for no key update
  `);
  return users.map(({ id }) => id);
}

/** Returns the positions at which chunks with unfinished rows begin. */
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

/** Returns whether the job has rows that are not final. */
export async function hasUnfinishedRows(db: Db, jobId: string): Promise<boolean> {
  const { unfinished } = only(
    await db.query<{ unfinished: boolean }>(sql`
      select exists (select from job_rows where job_id = ${jobId} and status in ('pending', 'working')) as unfinished
    `),
  );
  return unfinished;
}

/** Returns whether rows of a range are under way. */
export async function hasWorkingRows(db: Db, range: RowRange): Promise<boolean> {
  const { working } = only(
    await db.query<{ working: boolean }>(
      sql`select exists (select from job_rows r where ${progress.inRange(range)} and r.status = 'working') as working`,
    ),
  );
  return working;
}

/** Returns how many rows are final, and whether any was skipped because the job was cancelled. */
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

/** Recomputes the counts from the rows. Call with the job's row locked by an earlier statement of the transaction. */
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

/** Skips the pending rows of a range. */
export async function skip(
  db: Db,
  { code, at, ...range }: RowRange & { code: RowErrorCode; at: Date },
): Promise<Progress | undefined> {
  return first(
    await db.query<Progress>(sql`
      with touched as (
        update job_rows r
           set status = 'skipped', error_code = ${code}, message = ${rowErrors[code]}
         where ${progress.inRange(range)}
           and r.status = 'pending'
        returning r.status
      ), ${progress.addToCounts(range.jobId, at)}
    `),
  );
}

/** Fails one unfinished row that the database rejected. */
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
      ), ${progress.addToCounts(jobId, at)}
    `),
  );
}
