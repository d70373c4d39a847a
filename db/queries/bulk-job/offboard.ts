import type { Actor } from "../../../domain/audit.ts";
import { revocationReasons } from "../../../domain/revocation.ts";
import { first, type Db } from "../../client.ts";
import { isActive } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";
import { revokeAllOfUsers } from "../certificates/certificates.ts";
import { addToCounts, inRange, lockSlices, messageOf, type Progress, type RowRange } from "./progress.ts";
import { lockOut, serialsMax } from "../people/users.ts";

/** Why a bulk job revokes: the reason of a single offboarding when none is given. */
const reason = revocationReasons.cessationOfOperation;

/** The user of each of the rows `r`: by id, by pairwise id, or by both when they mean the same person. */
const resolved = (rows: Sql, realmId: string): Sql => sql`
  select r.position, r.user_id as given_user_id, coalesce(by_id.id, by_pairwise_id.id) as user_id,
         coalesce(by_id.offboarded_at, by_pairwise_id.offboarded_at) as offboarded_at
    from ${rows} as r
    left join lateral (select id, offboarded_at
                         from users
                        where id = r.user_id
                          and realm_id = ${realmId}
                          and (r.pairwise_id is null or pairwise_id = r.pairwise_id)
                       offset 0) by_id on r.user_id is not null
    left join lateral (select id, offboarded_at
                         from users
                        where realm_id = ${realmId}
                          and pairwise_id = r.pairwise_id
                       offset 0) by_pairwise_id on r.user_id is null`;

/** Whether a user has a profile to revoke. */
const hasActiveProfile = (userId: Sql, at: Date): Sql => sql`exists (
  select from certificates c where c.user_id = ${userId} and ${isActive(sql`c`, at)} offset 0)`;

/**
 * Whether offboarding the user of a row {@link resolved} as `p` changes anything. One who is offboarded with an active
 * profile was left so by a job that did not end well: the next one takes the user over.
 */
const wouldLeave = (at: Date): Sql => sql`(p.offboarded_at is null or ${hasActiveProfile(sql`p.user_id`, at)})`;

/** What becomes of `rows` when their people are offboarded now. */
export const planOffboarding = (rows: Sql, { realmId, at }: { realmId: string; at: Date }): Sql => sql`
  select position, user_id, given_user_id,
         case when user_id is null then 'failed' when ${wouldLeave(at)} then 'changed' else 'unchanged' end as verdict,
         case when user_id is null then 'user_not_found' end as error_code
    from (${resolved(rows, realmId)}) as p`;

/**
 * Locks the people of a range out, with their audit entries: from the commit on none of them is signed in or can be, and
 * nothing more is made for them. What is left for {@link revoke} is to revoke their profiles; who has none is done.
 */
export async function lockOutRows(
  tx: Db,
  { realmId, actor, at, ...range }: RowRange & { realmId: string; actor: Actor; at: Date },
): Promise<Progress | undefined> {
  await lockSlices(tx, range.jobId);
  const pending = sql`(select r.* from job_rows r where ${inRange(range)} and r.status = 'pending')`;
  const rows = await tx.query(sql`
    select r.position from job_rows r where ${inRange(range)} and r.status = 'pending' order by r.position for update
  `);
  if (rows.length === 0) return undefined;

  const locked = await tx.query<{ id: string }>(sql`
    with people as materialized (${resolved(pending, realmId)})
    select u.id
      from users u
     where u.id = any(array(select p.user_id from people p where ${wouldLeave(at)}))
     order by u.id
       for no key update
  `);
  // Asked again once they are locked: until then another job may have offboarded them and revoked their profiles.
  const people = await tx.query<{ id: string }>(sql`
    select p.user_id as id
      from (select id as user_id, offboarded_at from users where id = any(${locked.map(({ id }) => id)}::bigint[])) as p
     where ${wouldLeave(at)}
     order by p.user_id
  `);
  const userIds = people.map(({ id }) => id);
  if (userIds.length > 0) {
    await lockOut(tx, { realmId, userIds, jobId: range.jobId, at });
    await tx.query(sql`
      insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
      select ${realmId}::bigint, ${at}::timestamptz, 'user_offboard', ${actor.userId}::bigint, ${actor.clientId}::text,
             jsonb_build_object('userID', u.id::text, 'reason', ${reason}::integer, 'profiles', coalesce(c.profiles, 0),
                                'serials', coalesce(to_jsonb(c.serials[1:${serialsMax}::integer]), '[]'::jsonb),
                                'job', ${range.jobId}::text)
        from unnest(${userIds}::bigint[]) as u (id)
        left join lateral (select count(*) as profiles, array_agg(c.serial_number order by c.id) as serials
                             from certificates c
                            where c.user_id = u.id
                              and ${isActive(sql`c`, at)}) c on true
       order by u.id
    `);
  }
  return first(
    await tx.query<Progress>(sql`
      with touched as (
        update job_rows r
           set (user_id, status, error_code, message) = (
                 select coalesce(p.user_id, p.given_user_id),
                        case when p.user_id is null then 'failed'
                             when p.user_id <> all(${userIds}::bigint[]) then 'unchanged'
                             when ${hasActiveProfile(sql`p.user_id`, at)} then 'working'
                             else 'changed' end,
                        case when p.user_id is null then 'user_not_found' end,
                        case when p.user_id is null then ${messageOf(sql`'user_not_found'`)} end
                   from (${resolved(sql`(select r.*)`, realmId)}) as p)
         where ${inRange(range)}
           and r.status = 'pending'
        returning r.status
      ), ${addToCounts(range.jobId, at)}
    `),
  );
}

/**
 * Revokes every profile of the people of a range whom this job locked out. Somebody who was reactivated meanwhile, or whom
 * another job has locked out since, is not this job's any more: the row is skipped.
 */
export async function revoke(
  tx: Db,
  { realmId, at, ...range }: RowRange & { realmId: string; at: Date },
): Promise<Progress | undefined> {
  await lockSlices(tx, range.jobId);
  const rows = await tx.query<{ userId: string }>(sql`
    select r.user_id as "userId"
      from job_rows r
     where ${inRange(range)}
       and r.status = 'working'
     order by r.position
       for update
  `);
  if (rows.length === 0) return undefined;

  const leaving = await tx.query<{ id: string }>(sql`
    select id
      from users
     where realm_id = ${realmId}
       and id = any(${rows.map(({ userId }) => userId)}::bigint[])
       and offboarded_at is not null
       and (offboarding_job_id = ${range.jobId} or offboarding_job_id is null)
     order by id
       for no key update
  `);
  const userIds = leaving.map(({ id }) => id);
  await revokeAllOfUsers(tx, { realmId, userIds, reason, at });
  const changedSince = sql`r.user_id <> all(${userIds}::bigint[])`;
  return first(
    await tx.query<Progress>(sql`
      with touched as (
        update job_rows r
           set status = case when ${changedSince} then 'skipped' else 'changed' end,
               error_code = case when ${changedSince} then 'changed_since' end,
               message = case when ${changedSince} then ${messageOf(sql`'changed_since'`)} end
         where ${inRange(range)}
           and r.status = 'working'
        returning r.status
      ), ${addToCounts(range.jobId, at)}
    `),
  );
}
