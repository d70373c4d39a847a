import type { Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** Has the database answer. Throws when it does not. */
export async function ping(db: Db): Promise<void> {
  await db.query(sql`select 1 as one`);
}
