import { runningJobsMax } from "../../../../domain/bulk-job/job.ts";
import type { Db } from "../../../client.ts";
import { sql, type Sql } from "../../../sql.ts";

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
