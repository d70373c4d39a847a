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

/** Names of the migrations that were run here. Throws undefined_table before the first. */
export async function migrationsDone(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`select name from knex_migrations order by id`);
  return rows.map(({ name }) => name);
}
