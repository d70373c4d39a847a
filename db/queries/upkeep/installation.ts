import { only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** The database server and the session. */
export interface Server {
  version: string;
  major: number;
  now: Date;
  /** The role of the session. */
  role: string;
}

/** Returns the server's version and time, and the session's role. */
export async function server(db: Db): Promise<Server> {
  return only(
    await db.query<Server>(sql`
      select current_setting('server_version') as version,
             current_setting('server_version_num')::integer / 10000 as major,
             clock_timestamp() as now,
             current_user::text as role
    `),
  );
}

/** The server's durability settings: `on`, `off`, or how far a commit waits. */
export interface WriteSettings {
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
}

export async function writeSettings(db: Db): Promise<WriteSettings> {
  return only(
    await db.query<WriteSettings>(sql`
      select current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
             current_setting('synchronous_commit') as "synchronousCommit"
    `),
  );
}

/** Checks that the database accepts writes, by committing a change that has no other purpose. */
export async function probe(db: Db): Promise<void> {
  await db.query(sql`update installation set probed_at = clock_timestamp()`);
}

/** Returns the database's current time, even in the middle of a transaction. */
export async function time(db: Db): Promise<Date> {
  return only(await db.query<{ now: Date }>(sql`select clock_timestamp() as now`)).now;
}

/**
 * Returns the migration that a version must have to use the database, and the newest migration of the version for which
 * the roles' rights were set. Throws undefined_table before the first `migrate` of a version that has this table.
 */
export async function versions(db: Db): Promise<{ minimum: string | null; migratedTo: string | null }> {
  return only(
    await db.query<{ minimum: string | null; migratedTo: string | null }>(sql`
      select minimum_migration as minimum, migrated_to as "migratedTo" from installation
    `),
  );
}

/** Records that the roles have the rights of the version whose newest migration this is. */
export async function setMigratedTo(db: Db, migration: string): Promise<void> {
  await db.query(
    sql`update public.installation set migrated_to = ${migration} where migrated_to is distinct from ${migration}`,
  );
}

/** Returns whether the server accepts no writes: a standby, or a primary that was made read-only for a failover. */
export async function isReadOnly(db: Db): Promise<boolean> {
  return only(
    await db.query<{ readOnly: boolean }>(sql`select current_setting('transaction_read_only')::boolean as "readOnly"`),
  ).readOnly;
}

/** Returns the names of the migrations that were run here. Throws undefined_table before the first migration. */
export async function migrationsDone(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select name from knex_migrations order by id`);
  return rows.map(({ name }) => name);
}
