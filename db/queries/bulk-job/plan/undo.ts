import { only, type Db } from "../../../client.ts";
import { sql, type Sql } from "../../../sql.ts";

/**
 * Selects the rows `r` that an undo of the offboarding `jobId` applies to, each with its user `u`: users whom the
 * offboarding has changed or still locks out.
 */
const undone = (jobId: string): Sql => sql`
  from job_rows r
  left join lateral (select id, offboarded_at, offboarding_job_id from users where id = r.user_id offset 0) u on true
 where r.job_id = ${jobId}
   and (r.status in ('changed', 'working') or ${isLockedOutBy(jobId)})`;

/** Tests whether the user `u` is still offboarded by this job. */
const isLockedOutBy = (jobId: string): Sql => sql`
  (u.offboarded_at is not null and u.offboarding_job_id is not distinct from ${jobId}::uuid)`;

/** The effects that an undo of an offboarding would have. */
export interface UndoPreview {
  /** People who could sign in again. */
  people: number;
  /** People whom this job changed and another action has changed since; an undo does not change them. */
  changedSince: number;
  /** Valid profiles of people who could sign in again; they stay valid. */
  devicesKept: number;
  /** Unexpired profiles of the same people that were revoked since the lockout; they stay revoked. */
  devicesRevoked: number;
}

export const previewUndo = async (db: Db, { jobId, at }: { jobId: string; at: Date }): Promise<UndoPreview> =>
  only(
    await db.query<UndoPreview>(sql`
      select count(*) filter (where locked_out)::integer as people,
             count(*) filter (where not locked_out)::integer as "changedSince",
             coalesce(sum(kept), 0)::integer as "devicesKept", coalesce(sum(revoked), 0)::integer as "devicesRevoked"
        from (select ${isLockedOutBy(jobId)} as locked_out, c.kept, c.revoked
                from (select u.id as u_id, u.offboarded_at, u.offboarding_job_id ${undone(jobId)}) u
                left join lateral (select count(*) filter (where c.revoked_at is null) as kept,
                                          count(*) filter (where c.revoked_at >= u.offboarded_at) as revoked
                                     from certificates c
                                    where c.user_id = u.u_id
                                      and c.not_after > ${at}
                                   offset 0) c on ${isLockedOutBy(jobId)}) counted
    `),
  );

/**
 * Copies the rows that an undo of the offboarding `from` applies to into a job, with their numbers. Returns how many
 * rows were copied.
 */
export async function copyUndone(tx: Db, { from, to }: { from: string; to: string }): Promise<number> {
  const { copied } = only(
    await tx.query<{ copied: number }>(sql`
      with copied as (
        insert into job_rows (job_id, position, input, user_id)
        select ${to}, r.position, r.input, r.user_id ${undone(from)}
        returning 1
      )
      select count(*)::integer as copied from copied
    `),
  );
  return copied;
}

/**
 * Returns whether a job that undoes this one is under way; an undo that waits for a user to start it does not block
 * another undo.
 */
export async function hasRunningUndo(tx: Db, jobId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select id from jobs where undo_of = ${jobId} and finished_at is null and state <> 'ready' limit 1
  `);
  return rows.length > 0;
}
