import { only, type Db } from "../../../client.ts";
import { sql, unprepared, type Sql } from "../../../sql.ts";
import * as certificatePages from "../../certificates/certificate-pages.ts";
import type { ActiveProfileSelection } from "../../certificates/certificate-pages.ts";
import * as users from "../../people/users.ts";
import type { UserSelection } from "../../people/users.ts";

interface Target {
  jobId: string;
  /** If more rows than this are found, no row is added. */
  max: number;
}

/**
 * Adds a row to a job for each user of this selection, newest first, except forgotten users. Returns how many were
 * found; `max` plus one means too many.
 */
export async function addUsers(tx: Db, { jobId, max, ...selection }: Target & UserSelection): Promise<number> {
  const { from, matching } = users.selected(selection);
  return add(tx, {
    max,
    found: sql`
      select u.id, u.pairwise_id, u.email, u.created_at
        from ${from}
       where ${matching}
         and u.forgotten_at is null`,
    rows: sql`
      insert into job_rows (job_id, position, input, user_id)
      select ${jobId}, row_number() over (order by created_at desc, id desc), array[id::text, pairwise_id, email], id`,
  });
}

/** Adds a row to a job for each active profile of a selection, as {@link addUsers} does for users. */
export async function addProfiles(
  tx: Db,
  { jobId, max, ...selection }: Target & ActiveProfileSelection,
): Promise<number> {
  const { from, matching } = certificatePages.selectedActive(selection);
  return add(tx, {
    max,
    found: sql`select c.id, c.serial_number, c.created_at from ${from} where ${matching}`,
    rows: sql`
      insert into job_rows (job_id, position, input, serial_number)
      select ${jobId}, row_number() over (order by created_at desc, id desc), array[serial_number], serial_number`,
  });
}

/** Inserts the `rows` of the selection `found` in one statement, so exactly the counted selection is added. */
async function add(tx: Db, { max, found, rows }: { max: number; found: Sql; rows: Sql }): Promise<number> {
  const { count } = only(
    await tx.query<{ count: number }>(
      unprepared(sql`
        with found as materialized (
          ${found}
           limit ${max + 1}
        ), added as (
          ${rows}
            from found
           where (select count(*) from found) <= ${max}
        )
        select count(*)::integer as count from found
      `),
    ),
  );
  return count;
}
