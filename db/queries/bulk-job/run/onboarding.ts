import { first, type Db } from "../../../client.ts";
import { isUnsettled } from "../../../rules.ts";
import { sql, type Sql } from "../../../sql.ts";
import * as progress from "../progress.ts";
import type { Progress, RowRange } from "../progress.ts";

/**
 * Makes Postgres analyze the users table once a job has made it much larger. Otherwise the analysis would start a
 * minute later.
 */
export async function analyzeGrownUsers(db: Db): Promise<void> {
  await db.query(sql`select analyze_grown_users()`);
}

/** Returns the issuances that rows of a range wait for and that are not settled yet. */
export async function unsettled(db: Db, range: RowRange): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select r.issuance_id as id
      from job_rows r
     cross join lateral (select status from issuances where id = r.issuance_id offset 0) i
     where ${progress.inRange(range)}
       and r.status = 'working'
       and ${isUnsettled(sql`i`)}
     order by r.position
  `);
  return rows.map(({ id }) => id);
}

/** Ends the rows of a range whose issuance is settled, with the issuance's result. Rows are joined by ctid. */
export async function concludeRows(db: Db, { at, ...range }: RowRange & { at: Date }): Promise<Progress | undefined> {
  return first(
    await db.query<Progress>(sql`
      with settled as materialized (
        select r.ctid as place, i.status, case when i.status = 'failed' then ${rowErrorOf(sql`i.error_code`)} end as error_code
          from job_rows r
         cross join lateral (select status, error_code from issuances where id = r.issuance_id offset 0) i
         where ${progress.inRange(range)}
           and r.status = 'working'
           and i.status in ('issued', 'failed')
         order by r.position
           for update of r
      ), touched as (
        update job_rows r
           set status = case s.status when 'issued' then 'changed' else 'failed' end,
               error_code = s.error_code,
               message = ${progress.messageOf(sql`s.error_code`)}
          from settled s
         where r.ctid = s.place
        returning r.status
      ), ${progress.addToCounts(range.jobId, at)}
    `),
  );
}

/** Returns the error code of a row whose issuance failed. */
const rowErrorOf = (code: Sql): Sql => sql`
  case when ${code} in ('user_locked', 'user_offboarded', 'no_issuer', 'issuer_expiring') then ${code}
       else 'issuance_failed' end`;
