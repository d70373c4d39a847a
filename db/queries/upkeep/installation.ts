import { only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** What the server says of itself, and to whom. */
export interface Server {
  version: string;
  major: number;
  now: Date;
  /** The role of the session. */
  role: string;
}

/** What the server says of itself. */
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

/** How the server writes to its disk: `on`, `off`, or how far a commit waits. */
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

/** How many connections the server has for logins that are no superusers. */
export async function connectionsFree(db: Db): Promise<number> {
  return only(
    await db.query<{ count: number }>(sql`
      select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
             - coalesce(current_setting('reserved_connections', true), '0')::integer as count
    `),
  ).count;
}

/** Commits a change that means nothing but that the database takes it. */
export async function probe(db: Db): Promise<void> {
  await db.query(sql`update installation set probed_at = clock_timestamp()`);
}

/** The database's clock, in the middle of a transaction too. */
export async function time(db: Db): Promise<Date> {
  return only(await db.query<{ now: Date }>(sql`select clock_timestamp() as now`)).now;
}

/** Names of the migrations that were run here. Throws undefined_table before the first. */
export async function migrationsDone(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select name from knex_migrations order by id`);
  return rows.map(({ name }) => name);
}
