import { only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** What the server says of itself. */
export async function server(db: Db): Promise<{ version: string; major: number; now: Date }> {
  return only(
    await db.query<{ version: string; major: number; now: Date }>(sql`
      select current_setting('server_version') as version,
             current_setting('server_version_num')::integer / 10000 as major,
             clock_timestamp() as now
    `),
  );
}

/** The database's clock, in the middle of a transaction too. */
export async function time(db: Db): Promise<Date> {
  return only(await db.query<{ now: Date }>(sql`select clock_timestamp() as now`)).now;
}

/** Which versions may use the database. Throws undefined_table where `migrate` of a version that knows it never ran. */
export async function versions(db: Db): Promise<{ minimum: string | null; migratedTo: string | null }> {
  return only(
    await db.query<{ minimum: string | null; migratedTo: string | null }>(sql`
      select minimum_migration as minimum, migrated_to as "migratedTo" from installation
    `),
  );
}

/** Notes that the roles have the rights of the version whose newest migration this is. */
export async function setMigratedTo(db: Db, migration: string): Promise<void> {
  await db.query(
    sql`update public.installation set migrated_to = ${migration} where migrated_to is distinct from ${migration}`,
  );
}

/** Names of the migrations that were run here. Throws undefined_table before the first. */
export async function migrationsDone(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select name from knex_migrations order by id`);
  return rows.map(({ name }) => name);
}
