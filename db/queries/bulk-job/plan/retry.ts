import { only, type Db } from "../../../client.ts";
import { sql } from "../../../sql.ts";

/**
 * Copies the failed rows of a job, and rows that it skipped because of an internal error, to the same positions of
 * another job. Rows that would fail again, such as invalid ones, stay failed; the remaining rows are tried again.
 * Returns how many rows were copied.
 */
export async function copyFailed(tx: Db, { from, to }: { from: string; to: string }): Promise<number> {
  const { copied } = only(
    await tx.query<{ copied: number }>(sql`
      with copied as (
        insert into job_rows (job_id, position, input, pairwise_id, user_id, email, max_profiles, profile_name,
                              device_type, format, serial_number, status, expected, error_code, message)
        select ${to}, r.position, r.input, r.pairwise_id,
               case when j.kind <> 'onboarding' then r.user_id end, r.email, r.max_profiles,
               r.profile_name, r.device_type, r.format, r.serial_number,
               case when f.final then 'failed' else 'pending' end,
               case when f.final then 'failed' end, case when f.final then r.error_code end,
               case when f.final then r.message end
          from job_rows r
          join jobs j on j.id = r.job_id
          cross join lateral (select r.error_code in ('invalid_row', 'duplicate_row', 'user_forgotten') as final) f
         where r.job_id = ${from}
           and (r.status = 'failed' or (r.status = 'skipped' and r.error_code = 'internal_error'))
        returning 1
      )
      select count(*)::integer as copied from copied
    `),
  );
  return copied;
}
