import type { Db } from "../../../client.ts";
import { sql } from "../../../sql.ts";

/** Returns which of these positions have no row in a job. */
export async function findMissing(
  db: Db,
  { jobId, positions }: { jobId: string; positions: readonly number[] },
): Promise<number[]> {
  const rows = await db.query<{ position: number }>(sql`
    select p.position
      from unnest(${positions}::integer[]) as p(position)
     where not exists (select from job_rows r where r.job_id = ${jobId} and r.position = p.position)
     order by p.position
  `);
  return rows.map(({ position }) => position);
}

/**
 * Takes rows out of a waiting job and out of the results of its check. Rows that have already failed or been taken out
 * stay as they are. Returns the numbers of the rows taken out. Call with the job's row locked.
 */
export async function takeOut(
  tx: Db,
  { realmId, jobId, positions, at }: { realmId: string; jobId: string; positions: readonly number[]; at: Date },
): Promise<number[]> {
  const rows = await tx.query<{ position: number }>(sql`
    with taken as (
      update job_rows
         set status = 'skipped', error_code = 'taken_out', message = null
       where job_id = ${jobId}
         and position = any(${positions}::integer[])
         and status = 'pending'
      returning position, expected, affected_profiles
    ), counted as (
      select count(*)::integer as rows,
             coalesce(sum(affected_profiles) filter (where expected = 'changed'), 0)::integer as profiles,
             count(*) filter (where expected = 'changed')::integer as changed,
             count(*) filter (where expected = 'unchanged')::integer as unchanged,
             count(*) filter (where expected = 'failed')::integer as failed
        from taken
    ), updated as (
      update jobs j
         set changed = j.changed - c.changed, unchanged = j.unchanged - c.unchanged, failed = j.failed - c.failed,
             skipped = j.skipped + c.rows, expected_change = j.expected_change - c.changed,
             affected_profiles = j.affected_profiles - c.profiles, revision = j.revision + 1, progress_at = ${at}
        from counted c
       where j.realm_id = ${realmId}
         and j.id = ${jobId}
         and c.rows > 0
    )
    select position from taken order by position
  `);
  return rows.map(({ position }) => position);
}

/**
 * Puts rows that were taken out of a waiting job back, as unchecked rows. Returns their numbers. Call with the job's
 * row locked, then check the rows.
 */
export async function takeIn(
  tx: Db,
  { jobId, positions }: { jobId: string; positions: readonly number[] },
): Promise<number[]> {
  const rows = await tx.query<{ position: number }>(sql`
    with taken as (
      update job_rows
         set status = 'pending', expected = null, error_code = null, message = null
       where job_id = ${jobId}
         and position = any(${positions}::integer[])
         and status = 'skipped'
         and error_code = 'taken_out'
      returning position
    )
    select position from taken order by position
  `);
  return rows.map(({ position }) => position);
}
