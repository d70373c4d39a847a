import type { Actor } from "../../domain/audit/audit.ts";
import { first, type Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as plan from "../queries/bulk-job/plan/offboarding.ts";
import * as held from "../queries/bulk-job/run/held.ts";
import * as jobRows from "../queries/bulk-job/run/rows.ts";
import * as turns from "../queries/bulk-job/run/turns.ts";
import * as progress from "../queries/bulk-job/progress.ts";
import * as reactivatePlan from "../queries/bulk-job/plan/reactivation.ts";
import * as certificates from "../queries/certificates/certificates.ts";
import * as users from "../queries/people/users.ts";
import { isActive } from "../rules.ts";
import { ofAnyLength, sql } from "../sql.ts";

/**
 * Reactivates the people of a range, with their audit entries; revoked profiles stay revoked. An undo reactivates only
 * people whom the offboarding `undoOf` has locked out. If that offboarding has not revoked their profiles yet, the
 * offboarding's rows end with `undone`, and the profiles stay valid. Does nothing if the job no longer runs.
 *
 * An undo and the offboarding both lock the offboarding's slices first: the later of the two sees the changes of the
 * earlier.
 */
export async function letBackIn(
  tx: Db,
  {
    realmId,
    undoOf,
    actor,
    at,
    ...range
  }: progress.RowRange & { realmId: string; undoOf: string | null; actor: Actor; at: Date },
): Promise<progress.Progress | undefined> {
  if (undoOf !== null) await turns.lockSlices(tx, undoOf);
  await turns.lockSlices(tx, range.jobId);
  // The job is locked from here on: a job that was asked to stop reactivates no user.
  if ((await progress.lock(tx, range.jobId))?.state !== "running") return undefined;

  const changes = reactivatePlan.wouldReturn(undoOf);
  if ((await jobRows.lockPendingPeople(tx, { ...range, realmId, changes })) === undefined) return undefined;
  // Checked again under the lock: in the meantime these people may have been reactivated, or offboarded again.
  const people = await tx.query<{ id: string; offboardedAt: Date }>(sql`
    with people as materialized (${plan.resolved(jobRows.pendingIn(range), realmId)})
    select p.user_id as id, p.offboarded_at as "offboardedAt"
      from people p
     where ${changes}
     order by p.user_id
  `);
  const userIds = people.map(({ id }) => id);
  if (userIds.length > 0) {
    await tx.query(
      sql`select let_back_in(${range.jobId}, ${range.from}, ${range.to}, ${userIds}::bigint[]) is null as done`,
    );
    await tx.query(sql`
      insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
      select ${realmId}::bigint, ${at}::timestamptz, 'user_undelete', ${actor.userId}::bigint, ${actor.clientId}::text,
             jsonb_build_object('userID', u.id::text, 'before', jsonb_build_object('blacklistDate', u.offboarded_at),
                                'after', jsonb_build_object('blacklistDate', null), 'job', ${range.jobId}::text,
                                'profilesKept', c.profiles)
               || jsonb_strip_nulls(jsonb_build_object('undoOf', ${undoOf}::text))
        from unnest(${ofAnyLength(userIds, sql`bigint[]`)},
                    ${ofAnyLength(
                      people.map(({ offboardedAt }) => offboardedAt.toISOString()),
                      sql`text[]`,
                    )}) as u (id, offboarded_at)
       cross join lateral (select count(*) as profiles
                             from certificates c
                            where c.user_id = u.id
                              and ${isActive(sql`c`, at)}
                           offset 0) c
       order by u.id
    `);
  }
  if (undoOf !== null) await endUndone(tx, { ...range, jobId: undoOf, userIds, at });
  return first(
    await tx.query<progress.Progress>(sql`
      with touched as (
        update job_rows r
           set (user_id, status, error_code, message) = (
                 select coalesce(p.user_id, p.given_user_id), v.status, v.error_code,
                        coalesce(p.message, ${progress.messageOf(sql`v.error_code`)})
                   from (${plan.resolved(sql`(select r.*)`, realmId)}) as p
                  cross join lateral (
                    select case when p.user_id = any(${userIds}::bigint[]) then 'changed'
                                when p.user_id is not null and p.offboarded_at is null then 'unchanged'
                                else 'failed' end as status,
                           case when p.user_id = any(${userIds}::bigint[]) then null
                                when p.user_id is null then p.error_code
                                when p.offboarded_at is not null then 'changed_since' end as error_code) v)
         where ${progress.inRange(range)}
           and r.status = 'pending'
        returning r.status
      ), ${progress.addToCounts(range.jobId, at)}
    `),
  );
}

/**
 * Lets one offboarded user sign in again, with the audit entry; revoked profiles stay revoked. If a held job has locked
 * them out, they leave that job. `also` has further properties of the entry. Call in a transaction, with the user's row
 * locked.
 */
export async function letOneBackIn(
  tx: Db,
  {
    realmId,
    userId,
    offboardedAt,
    actor,
    at,
    also = {},
  }: {
    realmId: string;
    userId: string;
    offboardedAt: Date;
    actor: Actor;
    at: Date;
    also?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await held.leave(tx, { realmId, userId, at });
  await users.reactivate(tx, { realmId, userId });
  const kept = await certificates.listActiveOfUser(tx, { realmId, userId, at });
  await audit.record(tx, {
    realmId,
    event: "user_undelete",
    actor,
    at,
    properties: {
      userID: userId,
      before: { blacklistDate: offboardedAt },
      after: { blacklistDate: null },
      profilesKept: kept.length,
      ...also,
    },
  });
}

/**
 * Ends the rows of an offboarding whose people were reactivated, by this job or otherwise, before their profiles were
 * revoked: nothing is left to do for them.
 */
const endUndone = (
  tx: Db,
  { userIds, at, ...range }: progress.RowRange & { userIds: readonly string[]; at: Date },
): Promise<unknown> =>
  tx.query(sql`
    with back as materialized (
      select r.position, case when u.id = any(${userIds}::bigint[]) then 'undone' else 'changed_since' end as code
        from job_rows r
        join users u on u.id = r.user_id
       where ${progress.inRange(range)}
         and r.status = 'working'
         and (u.id = any(${userIds}::bigint[]) or u.offboarded_at is null)
    ), touched as (
      update job_rows r
         set status = 'skipped', error_code = b.code, message = ${progress.messageOf(sql`b.code`)}
        from back b
       where r.job_id = ${range.jobId}
         and r.position = b.position
         and r.status = 'working'
      returning r.status
    ), ${progress.addToCounts(range.jobId, at)}
  `);
