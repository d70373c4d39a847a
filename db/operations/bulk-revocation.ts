import type { Actor } from "../../domain/audit/audit.ts";
import type { RevocationReason } from "../../domain/certificate/revocation.ts";
import { first, type Db } from "../client.ts";
import * as plan from "../queries/bulk-job/plan/revocation.ts";
import * as progress from "../queries/bulk-job/progress.ts";
import * as jobRows from "../queries/bulk-job/run/rows.ts";
import * as turns from "../queries/bulk-job/run/turns.ts";
import { sql } from "../sql.ts";
import * as revocations from "./revocations.ts";

/**
 * Revokes the profiles of a range permanently, with an audit entry for each that was not revoked before, and ends its
 * rows. Does nothing if the job no longer runs or no row of the range is pending. Locks the owners before it revokes,
 * in the order of their ids, like all code that revokes every profile of a user. Call in a transaction.
 */
export async function revokeRows(
  tx: Db,
  {
    realmId,
    reason,
    actor,
    at,
    ...range
  }: progress.RowRange & { realmId: string; reason: RevocationReason; actor: Actor; at: Date },
): Promise<progress.Progress | undefined> {
  await turns.lockSlices(tx, range.jobId);
  // The job is locked from here on: a job that was asked to stop revokes nothing.
  if ((await progress.lock(tx, range.jobId))?.state !== "running") return undefined;

  if (!(await jobRows.lockPending(tx, range))) return undefined;
  const due = await tx.query<{ certificateId: string; userId: string }>(sql`
    select p.certificate_id as "certificateId", p.user_id as "userId"
      from (${plan.profilesOf(jobRows.pendingIn(range), realmId)}) as p
     where p.certificate_id is not null
       and p.revoked_at is null
  `);
  await tx.query(sql`
    select id from users where id = any(${due.map(({ userId }) => userId)}::bigint[]) order by id for no key update
  `);
  const serialNumbers = await revocations.revokeInJob(tx, {
    certificateIds: due.map(({ certificateId }) => certificateId),
    jobId: range.jobId,
    reason,
    actor,
    at,
  });
  return first(
    await tx.query<progress.Progress>(sql`
      with touched as (
        update job_rows r
           set (user_id, status, error_code, message) = (
                 select p.user_id,
                        case when p.certificate_id is null then 'failed'
                             when r.serial_number = any(${serialNumbers}::text[]) then 'changed'
                             else 'unchanged' end,
                        e.code, ${progress.messageOf(sql`e.code`)}
                   from (${plan.profilesOf(sql`(select r.*)`, realmId)}) as p
                  cross join lateral (
                    select case when p.certificate_id is null then 'profile_not_found' end as code) e)
         where ${progress.inRange(range)}
           and r.status = 'pending'
        returning r.status
      ), ${progress.addToCounts(range.jobId, at)}
    `),
  );
}
