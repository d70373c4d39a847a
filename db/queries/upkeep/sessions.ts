import { only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A session of the database server, as any login may see it. */
export interface Session {
  pid: number;
  login: string;
  /** Empty if the program gave no name. */
  program: string;
}

/** A session that other sessions wait for. */
export interface Holder extends Session {
  /** The tables whose locks the session holds and other sessions wait for; empty if they wait only for rows. */
  tables: string[];
  /** How many sessions wait for this session. */
  waiting: number;
  /** How long the first waiting session has waited. */
  seconds: number;
}

/**
 * Returns the sessions that other sessions in this database have waited for longer than `seconds`, the longest wait
 * first.
 */
export async function listHolders(db: Db, { seconds }: { seconds: number }): Promise<Holder[]> {
  return db.query<Holder>(sql`
    with waits as materialized (
      select l.pid, l.relation, clock_timestamp() - l.waitstart as duration, pg_blocking_pids(l.pid) as holders
        from pg_locks l
       where not l.granted
         and l.waitstart < clock_timestamp() - make_interval(secs => ${seconds})
         and l.pid in (select pid from pg_stat_activity where datname = current_database())
    )
    select a.pid, a.usename::text as login, a.application_name as program,
           coalesce(array_agg(distinct w.relation::regclass::text) filter (where w.relation is not null), '{}') as tables,
           count(distinct w.pid)::integer as waiting,
           extract(epoch from max(w.duration))::integer as seconds
      from waits w
     cross join lateral unnest(w.holders) as h (pid)
      join pg_stat_activity a on a.pid = h.pid
     -- A session that itself waits is not the cause.
     where a.pid not in (select pid from waits)
     group by a.pid, a.usename, a.application_name
     order by max(w.duration) desc
  `);
}

/** A transaction that does nothing. */
export interface IdleTransaction extends Session {
  seconds: number;
}

/**
 * Returns the sessions in this database that have left a transaction open for longer than `seconds` without a
 * statement; undefined if the login may not see what other logins' sessions do (pg_read_all_stats).
 */
export async function listIdleTransactions(
  db: Db,
  { seconds }: { seconds: number },
): Promise<IdleTransaction[] | undefined> {
  const { sees } = only(
    await db.query<{ sees: boolean }>(sql`select pg_has_role('pg_read_all_stats', 'usage') as sees`),
  );
  if (!sees) return undefined;
  return db.query<IdleTransaction>(sql`
    select pid, usename::text as login, application_name as program,
           extract(epoch from clock_timestamp() - state_change)::integer as seconds
      from pg_stat_activity
     where datname = current_database()
       and state like 'idle in transaction%'
       and state_change < clock_timestamp() - make_interval(secs => ${seconds})
     order by state_change
  `);
}

/** The connections of the whole server. */
export interface Connections {
  /** How many connections the server has for logins that are not superusers. */
  max: number;
  /** How many sessions of other programs are open, in all databases. */
  others: number;
  /** The other programs with the most open sessions, at most three. */
  programs: string[];
}

/** Counts the server's connections; `others` excludes the processes of this service and of its queue. */
export async function readConnections(db: Db): Promise<Connections> {
  return only(
    await db.query<Connections>(sql`
      with others as materialized (
        select coalesce(nullif(application_name, ''), usename::text) as program, count(*)::integer as count
          from pg_stat_activity
         where datid is not null
           and not (datname = current_database() and application_name like 'realmpass %')
         group by 1
      )
      select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
             - coalesce(current_setting('reserved_connections', true), '0')::integer as max,
             (select coalesce(sum(count), 0)::integer from others) as others,
             array(select program from others order by count desc, program limit 3) as programs
    `),
  );
}
