import type { Actor } from "../../../../domain/audit/audit.ts";
import type { Db } from "../../../client.ts";
import { sql } from "../../../sql.ts";
import type { InRealm } from "../jobs.ts";

/**
 * Creates the job of one user who is locked out in this transaction and keeps their devices until `revokeAt`. The job
 * begins in its grace period, because there is nothing to check.
 */
export async function createInGrace(
  tx: Db,
  job: InRealm & { userId: string; graceDays: number; revokeAt: Date; actor: Actor; at: Date; requestId: string },
): Promise<void> {
  await tx.query(sql`
    insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, created_by_user_id, created_by_client_id,
                      started_at, marked_at, total, expected_change, origin, grace_days, revoke_at, progress_at,
                      request_id)
    values (${job.jobId}, ${job.realmId}, 'offboarding', 'grace', false, '{userID}', ${job.at}, ${job.actor.userId},
            ${job.actor.clientId}, ${job.at}, ${job.at}, 1, 1, 'user', ${job.graceDays}, ${job.revokeAt}, ${job.at},
            ${job.requestId})
  `);
  await tx.query(sql`
    insert into job_rows (job_id, position, input, user_id, status, expected)
    values (${job.jobId}, 1, array[${job.userId}::text], ${job.userId}, 'working', 'changed')
  `);
}

/** Returns jobs of any realm that are still in their grace period although that period ended before `since`. */
export async function listInGraceSince(db: Db, { since }: { since: Date }): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from jobs where finished_at is null and state = 'grace' and revoke_at < ${since} order by revoke_at
  `);
  return rows.map(({ id }) => id);
}
