import type { Actor } from "../../domain/audit/audit.ts";
import { revocationReasons, type RevocationReason } from "../../domain/certificate/revocation.ts";
import { inOrder, type Role } from "../../domain/people/roles.ts";
import { first, type Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as plan from "../queries/bulk-job/plan/offboarding.ts";
import * as endedCreators from "../queries/bulk-job/plan/ended-creators.ts";
import * as grace from "../queries/bulk-job/run/grace.ts";
import * as held from "../queries/bulk-job/run/held.ts";
import * as jobRows from "../queries/bulk-job/run/rows.ts";
import * as turns from "../queries/bulk-job/run/turns.ts";
import * as progress from "../queries/bulk-job/progress.ts";
import * as certificates from "../queries/certificates/certificates.ts";
import * as issuances from "../queries/issuance/issuances.ts";
import * as userRoles from "../queries/people/user-roles.ts";
import * as users from "../queries/people/users.ts";
import * as sessions from "../queries/sign-in/sessions.ts";
import { isActive, rolesOf } from "../rules.ts";
import { sql, type Sql } from "../sql.ts";
import * as revocations from "./revocations.ts";

/**
 * Locks users out: they can no longer sign in, their sessions and tokens end, their unsettled issuances fail, and their
 * waiting bulk jobs do not run. The trigger `users_change_sides_without_roles` ends their roles. `jobId` is the bulk
 * job that locks them out, or null. A user who is already locked out keeps the earlier time. Call in a transaction,
 * with the users' rows locked in the order of their ids; then revoke their profiles.
 */
export async function lockOut(
  tx: Db,
  { realmId, userIds, jobId, at }: { realmId: string; userIds: readonly string[]; jobId: string | null; at: Date },
): Promise<void> {
  await tx.query(sql`
    update users
       set offboarded_at = coalesce(offboarded_at, ${at}), offboarding_job_id = ${jobId}
     where realm_id = ${realmId}
       and id = any(${userIds}::bigint[])
  `);
  await sessions.removeAllOfUsers(tx, { userIds });
  await issuances.failUnsettledOfUsers(tx, { userIds, errorCode: "user_offboarded", at });
  await endedCreators.stopOfEnded(tx, { realmId, creators: { userIds }, at });
}

/** Returns the roles that end with an offboarding, for its audit entry. */
const endedRoles = ({ offboardedAt, roles }: { offboardedAt: Date | null; roles: readonly Role[] }): Role[] =>
  offboardedAt === null ? inOrder(roles) : [];

/**
 * Records an offboarding with the roles that it ends. `found` is the user before the offboarding; `serials` are the
 * serial numbers of the user's profiles.
 */
async function record(
  tx: Db,
  {
    realmId,
    userId,
    found,
    serials,
    reason,
    actor,
    at,
    also,
  }: {
    realmId: string;
    userId: string;
    found: { offboardedAt: Date | null; roles: readonly Role[] };
    serials: readonly string[];
    reason: RevocationReason;
    actor: Actor;
    at: Date;
    also: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const ended = endedRoles(found);
  await audit.record(tx, {
    realmId,
    event: "user_offboard",
    actor,
    at,
    properties: {
      userID: userId,
      reason,
      profiles: serials.length,
      serials: serials.slice(0, revocations.serialsMax),
      ...(ended.length > 0 && { roles: ended }),
      ...also,
    },
  });
}

/**
 * Offboards a user, with the audit entry: they can no longer sign in, their sessions, tokens and roles end, their
 * waiting bulk jobs do not run, their unsettled issuances fail, and every active profile is revoked permanently. If the
 * user is already offboarded, active profiles that they kept are revoked; without such profiles, returns `unchanged`
 * and writes no entry. `also` has further properties of the entry. Call in a transaction.
 */
export async function offboard(
  tx: Db,
  {
    realmId,
    userId,
    reason,
    actor,
    at,
    also = {},
  }: {
    realmId: string;
    userId: string;
    reason: RevocationReason;
    actor: Actor;
    at: Date;
    also?: Readonly<Record<string, unknown>>;
  },
): Promise<"offboarded" | "unchanged" | "not_found"> {
  const found = await users.lock(tx, { realmId, userId });
  if (found === undefined) return "not_found";

  await lockOut(tx, { realmId, userIds: [userId], jobId: null, at });
  const serials = await revocations.revokeAllOfUsers(tx, { realmId, userIds: [userId], reason, at });
  if (found.offboardedAt !== null && serials.length === 0) return "unchanged";
  await record(tx, { realmId, userId, found, serials, reason, actor, at, also });
  return "offboarded";
}

/**
 * Locks out a user, who keeps their devices until a person confirms the realm's held job `jobId`, and adds the user to
 * that job. Call in a transaction, with the rows of the user and of the job locked, for a user who is not offboarded.
 */
export async function hold(
  tx: Db,
  {
    realmId,
    userId,
    jobId,
    found,
    serials,
    actor,
    at,
    also,
  }: {
    realmId: string;
    userId: string;
    jobId: string;
    found: { offboardedAt: Date | null; roles: readonly Role[] };
    /** The serial numbers of the user's active profiles. */
    serials: readonly string[];
    actor: Actor;
    at: Date;
    also: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await held.join(tx, { realmId, jobId, userId, at });
  await lockOut(tx, { realmId, userIds: [userId], jobId, at });
  const properties = { held: true, job: jobId, ...also };
  await record(tx, { realmId, userId, found, serials, reason: offboardingReason, actor, at, also: properties });
}

/**
 * Locks out a user who keeps their devices, but no role, for `graceDays` days. Then a separate bulk job with the id
 * `jobId` revokes their profiles, unless the offboarding is undone. A user who already has the same number of days
 * keeps the existing job; this offboarding replaces any other kind of offboarding. A user without a profile has nothing
 * to keep, so there is no job. Returns the job's id and whether anything changed; undefined if the realm has no such
 * user. Call in a transaction.
 */
export async function offboardWithGrace(
  tx: Db,
  {
    realmId,
    userId,
    jobId,
    graceDays,
    actor,
    at,
    requestId,
  }: {
    realmId: string;
    userId: string;
    jobId: string;
    graceDays: number;
    actor: Actor;
    at: Date;
    requestId: string;
  },
): Promise<{ jobId: string | null; changed: boolean } | undefined> {
  const found = await users.lock(tx, { realmId, userId });
  if (found === undefined) return undefined;
  const before = await users.findOffboarding(tx, { realmId, userId });
  if (before?.grace?.days === graceDays) return { jobId: before.jobId, changed: false };
  const profiles = await certificates.listActiveOfUser(tx, { realmId, userId, at });
  const serials = profiles.map(({ serialNumber }) => serialNumber);
  if (serials.length === 0) {
    const outcome = await offboard(tx, { realmId, userId, reason: offboardingReason, actor, at });
    return { jobId: null, changed: outcome === "offboarded" };
  }
  const revokeAt = afterDays(graceDays, at);
  await lockOut(tx, { realmId, userIds: [userId], jobId, at });
  await grace.createInGrace(tx, { realmId, jobId, userId, graceDays, revokeAt, actor, at, requestId });
  await audit.record(tx, {
    realmId,
    event: "job_create",
    actor,
    at,
    properties: { job: jobId, kind: "offboarding", total: 1, dryRun: false, graceDays, origin: "user" },
  });
  const also = { job: jobId, revokeAt };
  await record(tx, { realmId, userId, found, serials, reason: offboardingReason, actor, at, also });
  return { jobId, changed: true };
}

const afterDays = (days: number, at: Date): Date => new Date(at.getTime() + days * 24 * 3_600_000);

/** The reason for revoking an offboarded person's profiles, unless the caller gives another reason. */
export const offboardingReason = revocationReasons.cessationOfOperation;

/**
 * Returns the additional property of an audit entry when profiles are revoked days later: the earliest time of the
 * revocation.
 */
const lateRevocation = (graceDays: number | null, at: Date): Sql =>
  graceDays === null
    ? sql`'{}'::jsonb`
    : sql`jsonb_build_object('revokeAt', ${afterDays(graceDays, at).toISOString()}::text)`;

/** Returns the property of an audit entry that lists ended roles. Few people of a range had any role. */
const rolesOfOne = (rolesById: Readonly<Record<string, readonly Role[]>>, id: Sql): Sql =>
  sql`jsonb_strip_nulls(jsonb_build_object('roles', ${JSON.stringify(rolesById)}::jsonb -> ${id}::text))`;

/**
 * Locks out the people of a range, with their audit entries: once committed, they are signed out and cannot sign in,
 * and nothing more is issued for them. {@link revoke} revokes their profiles later; the rows of people without a
 * profile are done. The rows of the realm's last administrator, and of people who became active or got a profile while
 * this waited for a lock, fail. Returns undefined if no row is pending.
 */
export async function lockOutRows(
  tx: Db,
  {
    realmId,
    graceDays,
    actor,
    at,
    ...range
  }: progress.RowRange & { realmId: string; graceDays: number | null; actor: Actor; at: Date },
): Promise<progress.Progress | undefined> {
  await turns.lockSlices(tx, range.jobId);
  const locked = await jobRows.lockPendingPeople(tx, { ...range, realmId, changes: plan.wouldLeave(at) });
  if (locked === undefined) return undefined;
  // Checked again under the lock: another job may have offboarded these people in the meantime and revoked their
  // profiles.
  const people = await tx.query<{ id: string; offboardedAt: Date | null; roles: Role[] }>(sql`
    select p.user_id as id, p.offboarded_at as "offboardedAt", p.roles
      from (select id as user_id, offboarded_at, ${rolesOf(sql`users`)} as roles
              from users
             where id = any(${locked}::bigint[])) as p
     where ${plan.wouldLeave(at)}
     order by p.user_id
  `);
  const leaving = people.map(({ id }) => id);
  const stays = await lastAdministrator(tx, { realmId, userIds: leaving });
  const userIds = leaving.filter((id) => id !== stays);
  const rolesById = Object.fromEntries(
    people.map((person) => [person.id, endedRoles(person)] as const).filter(([, roles]) => roles.length > 0),
  );
  if (userIds.length > 0) {
    await lockOut(tx, { realmId, userIds, jobId: range.jobId, at });
    await tx.query(sql`
      insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
      select ${realmId}::bigint, ${at}::timestamptz, 'user_offboard', ${actor.userId}::bigint, ${actor.clientId}::text,
             jsonb_build_object('userID', u.id::text, 'reason', ${offboardingReason}::integer, 'profiles', coalesce(c.profiles, 0),
                                'serials', coalesce(to_jsonb(c.serials[1:${revocations.serialsMax}::integer]), '[]'::jsonb),
                                'job', ${range.jobId}::text) || ${lateRevocation(graceDays, at)}
               ${Object.keys(rolesById).length === 0 ? sql`` : sql`|| ${rolesOfOne(rolesById, sql`u.id`)}`}
        from unnest(${userIds}::bigint[]) as u (id)
        left join lateral (select count(*) as profiles, array_agg(c.serial_number order by c.id) as serials
                             from certificates c
                            where c.user_id = u.id
                              and ${isActive(sql`c`, at)}) c on true
       order by u.id
    `);
  }
  return first(
    await tx.query<progress.Progress>(sql`
      with touched as (
        update job_rows r
           set (user_id, status, error_code, message) = (
                 select coalesce(p.user_id, p.given_user_id),
                        case when e.code is not null then 'failed'
                             when p.user_id <> all(${userIds}::bigint[]) then 'unchanged'
                             when ${plan.hasActiveProfile(sql`p.user_id`, at)} then 'working'
                             else 'changed' end,
                        e.code, coalesce(p.message, ${progress.messageOf(sql`e.code`)})
                   from (${plan.resolved(sql`(select r.*)`, realmId)}) as p
                  cross join lateral (
                    select case when p.user_id is null then p.error_code
                                when p.user_id = ${stays} then 'last_administrator'
                                when p.user_id <> all(${userIds}::bigint[]) and ${plan.wouldLeave(at)}
                                  then 'changed_since' end as code) as e)
         where ${progress.inRange(range)}
           and r.status = 'pending'
        returning r.status
      ), ${progress.addToCounts(range.jobId, at)}
    `),
  );
}

/**
 * Returns the person of the range who must not be offboarded because the realm would have no administrator left; null
 * if there is no such person.
 */
async function lastAdministrator(
  db: Db,
  { realmId, userIds }: { realmId: string; userIds: readonly string[] },
): Promise<string | null> {
  const administrators = await userRoles.administratorsAmong(db, { realmId, userIds });
  if (administrators.length === 0 || !(await userRoles.areLastAdministrators(db, { realmId, userIds }))) return null;
  return administrators.at(-1) ?? null;
}

/**
 * Revokes every profile of the people of a range whom this job locked out. Skips the rows of people who have been
 * reactivated, or whom another job has locked out since.
 */
export async function revoke(
  tx: Db,
  { realmId, at, ...range }: progress.RowRange & { realmId: string; at: Date },
): Promise<progress.Progress | undefined> {
  await turns.lockSlices(tx, range.jobId);
  const rows = await tx.query<{ userId: string }>(sql`
    select r.user_id as "userId"
      from job_rows r
     where ${progress.inRange(range)}
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
  await revocations.revokeAllOfUsers(tx, { realmId, userIds, reason: offboardingReason, at });
  const changedSince = sql`r.user_id <> all(${userIds}::bigint[])`;
  return first(
    await tx.query<progress.Progress>(sql`
      with touched as (
        update job_rows r
           set status = case when ${changedSince} then 'skipped' else 'changed' end,
               error_code = case when ${changedSince} then 'changed_since' end,
               message = case when ${changedSince} then ${progress.messageOf(sql`'changed_since'`)} end
         where ${progress.inRange(range)}
           and r.status = 'working'
        returning r.status
      ), ${progress.addToCounts(range.jobId, at)}
    `),
  );
}
