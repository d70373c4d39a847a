import type { Actor } from "../../../../domain/audit/audit.ts";
import { jobNotices } from "../../../../domain/bulk-job/job.ts";
import { jobProgressChannel } from "../../../channels.ts";
import { first, type Db } from "../../../client.ts";
import { isHeldJob } from "../../../rules.ts";
import { sql, type Sql } from "../../../sql.ts";
import * as progress from "../progress.ts";
import type { InRealm } from "../jobs.ts";

/**
 * Held jobs: offboardings whose people are locked out and keep their devices until a person confirms. A realm has at
 * most one held job.
 */

/** Returns the realm's held job, with its row locked: a person who wants to start the job waits. */
export async function lockOpen(tx: Db, { realmId }: { realmId: string }): Promise<string | undefined> {
  const found = await tx.query<{ id: string }>(sql`
    select j.id from jobs j where j.realm_id = ${realmId} and ${isHeldJob(sql`j`)} for no key update
  `);
  return first(found)?.id;
}

/** Creates a held job without people. It begins in the state `grace`, because there is nothing to check. */
export async function create(tx: Db, job: InRealm & { actor: Actor; at: Date; requestId: string }): Promise<void> {
  await tx.query(sql`
    insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, created_by_user_id, created_by_client_id,
                      started_at, marked_at, expected_change, origin, error_code, progress_at, request_id)
    values (${job.jobId}, ${job.realmId}, 'offboarding', 'grace', false, '{userID}', ${job.at}, ${job.actor.userId},
            ${job.actor.clientId}, ${job.at}, ${job.at}, 0, 'scim', ${jobNotices.confirmationRequired}, ${job.at},
            ${job.requestId})
  `);
}

const moved = (at: Date): Sql => sql`revision = revision + 1, progress_at = greatest(progress_at, ${at})`;

/** Adds a person to a held job, or puts them back into it. Call with the job's row locked. */
export async function join(
  tx: Db,
  { realmId, jobId, userId, at }: InRealm & { userId: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    with again as (
      update job_rows
         set status = 'working', error_code = null, message = null
       where job_id = ${jobId}
         and user_id = ${userId}
         and status = 'skipped'
      returning position
    ), counted as (
      update jobs
         set total = total + case when exists (select from again) then 0 else 1 end,
             skipped = skipped - case when exists (select from again) then 1 else 0 end,
             expected_change = expected_change + case when exists (select from again) then 0 else 1 end,
             ${moved(at)}
       where realm_id = ${realmId}
         and id = ${jobId}
      returning id, total
    ), added as (
      insert into job_rows (job_id, position, input, user_id, status, expected)
      select c.id, c.total, array[${userId}::text], ${userId}::bigint, 'working', 'changed'
        from counted c
       where not exists (select from again)
    )
    select pg_notify(${jobProgressChannel}, id::text) from counted
  `);
}

/**
 * Ends the row of a person whose access is restored, if a held job has locked them out. Call before restoring the
 * access.
 */
export async function leave(
  tx: Db,
  { realmId, userId, at }: { realmId: string; userId: string; at: Date },
): Promise<void> {
  const held = first(
    await tx.query<{ id: string }>(sql`
      select j.id
        from users u
        join jobs j on j.id = u.offboarding_job_id
       where u.realm_id = ${realmId}
         and u.id = ${userId}
         and ${isHeldJob(sql`j`)}
         for no key update of j
    `),
  );
  if (held === undefined) return;
  await tx.query(sql`
    with touched as (
      update job_rows
         set status = 'skipped', error_code = 'changed_since', message = ${progress.messageOf(sql`'changed_since'`)}
       where job_id = ${held.id}
         and user_id = ${userId}
         and status = 'working'
      returning status
    ), ${progress.addToCounts(held.id, at)}
  `);
}

/** Counts the people whom held jobs of all realms have locked out. */
export async function countPeople(db: Db): Promise<number> {
  const rows = await db.query<{ people: number }>(sql`
    select coalesce(sum(j.total - j.changed - j.unchanged - j.failed - j.skipped), 0)::integer as people
      from jobs j
     where ${isHeldJob(sql`j`)}
  `);
  return first(rows)?.people ?? 0;
}
