import { runningJobsMax } from "../../../domain/limits.ts";
import type { Db } from "../../client.ts";
import { sql, type Sql } from "../../sql.ts";

/**
 * Counts the realm's jobs ahead of `j`: started jobs that run or are being cancelled, and queued jobs that are older.
 */
export const jobsBefore = (): Sql => sql`(
  select count(*)
    from jobs o
   where o.realm_id = j.realm_id
     and o.finished_at is null
     and o.id <> j.id
     and ((o.state in ('running', 'cancelling') and o.started_at is not null)
          or (o.state = 'queued' and (o.created_at, o.id) < (j.created_at, j.id))))`;

/** A job waiting for its turn is checked this often, in seconds. */
const turnSeconds = 2;

/**
 * Returns jobs to advance: jobs whose time or turn has come, whose grace period has ended or no longer locks out any
 * user, or that are stalled because a worker died or the queue lost their tasks. A returned job is not returned to
 * another worker for a while. The times that jobs wait for are compared with the database's clock.
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
                  and ${jobsBefore()} < ${runningJobsMax})
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
