import { only, queueSchema, type Database, type Db } from "./client.ts";
import { isContention } from "./contention.ts";
import { sql, verbatim } from "./sql.ts";

/**
 * The schema of BullMQ's Postgres backend. Code in the schema runs with the rights of every process that uses the
 * queue, so the whole schema belongs to the owner of the service's tables, and the queue's role has rights only on rows
 * (see `rights.ts`).
 */

/** Resolves unqualified names only to Postgres' own objects for the rest of the session. */
export async function useSystemNames(db: Db): Promise<void> {
  await db.query(sql`set search_path = pg_catalog`);
}

/** More findings add no information. */
const findingsMax = 50;

/**
 * Finds what could run foreign code in the queue's schema: ownership of the schema, rights to create objects there, and
 * objects there, except those of roles with all the rights of the owner of the service's tables; and triggers and
 * rules, because BullMQ creates no triggers or rules. Reads only the system catalogs, and needs {@link useSystemNames}
 * first. Other parties choose the names, so characters other than printable ASCII are replaced.
 */
export async function findForeign(db: Db): Promise<string[]> {
  const rows = await db.query<{ finding: string }>(sql`
    with place as (
      select n.oid, n.nspowner, n.nspacl, c.relowner as trusted
        from pg_namespace n, pg_class c
       where n.nspname = ${queueSchema}
         and c.oid = 'public.realms'::regclass
    ), held (what, holder) as (
      select 'ownership of the schema', nspowner from place
      union all
      select 'right to create', a.grantee from place, aclexplode(nspacl) a where a.privilege_type = 'CREATE'
      union all
      select pg_describe_object(d.classid, d.objid, 0), s.refobjid
        from place
        join pg_depend d on d.refclassid = 'pg_namespace'::regclass and d.refobjid = place.oid
        join pg_shdepend s on s.classid = d.classid and s.objid = d.objid and s.deptype = 'o'
         and s.dbid = (select oid from pg_database where datname = current_database())
    ), found (finding) as (
      select what || ' of ' || case holder when 0 then 'public' else pg_get_userbyid(holder) end
        from held, place
       where holder = 0
          or not pg_has_role(holder, trusted, 'member')
      union all
      select pg_describe_object('pg_trigger'::regclass, t.oid, 0)
        from place
        join pg_class c on c.relnamespace = place.oid
        join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
      union all
      select pg_describe_object('pg_rewrite'::regclass, r.oid, 0)
        from place
        join pg_class c on c.relnamespace = place.oid
        join pg_rewrite r on r.ev_class = c.oid
    )
    select regexp_replace(finding, '[^ -~]', '?', 'g') as finding
      from found
     order by finding collate "C"
     limit ${findingsMax}
  `);
  return rows.map(({ finding }) => finding);
}

/** Runs {@link findForeign} for a pool, in a read-only transaction. */
export const lookForForeign = (db: Database): Promise<string[]> => looking(db, findForeign);

/** Counts the tasks that wait, run or are due later. Calls no function of the schema. */
export const countTasks = (db: Database): Promise<number> =>
  looking(db, async (tx) => {
    const text = `select count(*)::integer as count from ${queueSchema}.job`;
    return only(await tx.query<{ count: number }>(verbatim(text))).count;
  });

const looking = <Result>(db: Database, run: (tx: Db) => Promise<Result>): Promise<Result> =>
  db.transaction(async (tx) => {
    await tx.query(sql`set transaction read only`);
    await tx.query(sql`set local search_path = pg_catalog`);
    return run(tx);
  });

/**
 * How often dropping is attempted: running processes lock the tables in a different order, and Postgres aborts one of
 * two transactions that deadlock.
 */
const dropsMax = 10;

/**
 * Removes the schema with everything in it, whatever role owns it. Does not read the schema's tables or run its code.
 */
export async function dropQueueSchema(db: Db): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await db.query(verbatim(`drop schema ${queueSchema} cascade`));
      return;
    } catch (error) {
      if (!isContention(error) || tried === dropsMax) throw error;
    }
  }
}

/**
 * Creates the sequence of each of `queues`: BullMQ creates a sequence when a queue is first used, but the queue's role
 * is not allowed to create it. (BullMQ's bulk add also creates temporary tables; with Postgres' defaults every role is
 * allowed to create those.) Also revokes execute on the schema's functions from public, to which Postgres grants it by
 * default.
 */
export async function makeQueueSequences(db: Db, queues: readonly string[]): Promise<void> {
  const schema = queueSchema;
  await db.query(
    verbatim(
      `
      select ${schema}.next_job_id(name)
        from unnest($1::text[]) as name
       where to_regclass('${schema}.' || ${schema}.job_id_seq_name(name)) is null`,
      [queues],
    ),
  );
  await db.query(verbatim(`revoke execute on all routines in schema ${schema} from public`));
}
