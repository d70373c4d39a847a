import { finishedJobDays, jobOutputHours, silentUploadMinutes } from "../../../../domain/lifetimes.ts";
import { only, type Db } from "../../../client.ts";
import { sql, type Sql } from "../../../sql.ts";

/** How many outputs one statement erases. */
const slice = 5_000;

const counted = async (db: Db, changes: Sql): Promise<number> => {
  const { count } = only(
    await db.query<{ count: number }>(sql`
      with changed as (${changes} returning 1) select count(*)::integer as count from changed
    `),
  );
  return count;
};

/**
 * Erases outputs of jobs past their retention, at most {@link slice}. Returns how many outputs were erased: call until
 * the result is 0.
 */
export async function eraseJobOutputs(db: Db, { at }: { at: Date }): Promise<number> {
  const due = sql`
    select id
      from jobs
     where finished_at < ${at}::timestamptz - make_interval(hours => ${jobOutputHours})
       and output_erased_at is null`;
  const erased = await counted(
    db,
    sql`update issuance_outputs
           set sealed = null
         where issuance_id in (select o.issuance_id
                                 from (${due}) as j
                                 join issuance_outputs o on o.job_id = j.id
                                where o.sealed is not null
                                limit ${slice})`,
  );
  if (erased === 0) await db.query(sql`update jobs set output_erased_at = ${at} where id in (${due})`);
  return erased;
}

/**
 * Removes one job past its retention, with its rows. Returns how many jobs were removed: call until the result is 0.
 */
export const removeOldJob = (db: Db, { at }: { at: Date }): Promise<number> =>
  counted(
    db,
    sql`delete from jobs
         where id = (select id
                       from jobs
                      where finished_at < ${at}::timestamptz - make_interval(days => ${finishedJobDays})
                        and output_erased_at is not null
                      order by finished_at
                      limit 1
                        for update skip locked)`,
  );

/** Removes jobs whose upload broke off. Returns how many jobs were removed. */
export const removeBrokenUploads = (db: Db, { at }: { at: Date }): Promise<number> =>
  counted(
    db,
    sql`delete from jobs
         where id in (select id
                        from jobs
                       where finished_at is null
                         and state = 'receiving'
                         and progress_at < ${at}::timestamptz - make_interval(mins => ${silentUploadMinutes})
                         for update skip locked)`,
  );
