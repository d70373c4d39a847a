import type { Db } from "../../../client.ts";
import { sql } from "../../../sql.ts";
import * as jobRows from "../rows.ts";

/** Rows that failed, or are expected to fail, for the same cause. */
export interface Problem {
  errorCode: string;
  /** The fault of an invalid row in words; null if the code explains the fault. */
  message: string | null;
  count: number;
  /** The positions of the first rows. */
  positions: number[];
}

/** Lists why rows of a job failed, or are expected to fail: the most frequent causes first. */
export const listProblems = (
  db: Db,
  { jobId, max, positionsMax }: { jobId: string; max: number; positionsMax: number },
): Promise<Problem[]> =>
  db.query<Problem>(sql`
    select "errorCode", message, count, positions[1:${positionsMax}::integer] as positions
      from (select r.error_code as "errorCode", case when r.error_code = 'invalid_row' then r.message end as message,
                   count(*)::integer as count, array_agg(r.position order by r.position) as positions
              from job_rows r
              join jobs j on j.id = r.job_id
             where r.job_id = ${jobId}
               and ${jobRows.shownStatus} = 'failed'
               and r.error_code is not null
             group by 1, 2) as causes
     order by count desc, positions[1]
     limit ${max}
  `);
