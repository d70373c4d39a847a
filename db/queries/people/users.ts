import type { Role } from "../../../domain/people/roles.ts";
import { first, only, type Db } from "../../client.ts";
import { pageOf, type Rows } from "../../list.ts";
import { all, containsText, when, type Page, type PageRequest } from "../../page.ts";
import { isActive, isHeldJob, limitOf, rolesOf } from "../../rules.ts";
import { lookup, join, sql, type Sql } from "../../sql.ts";
import * as found from "../finding/found.ts";
import type { Searching } from "../finding/found.ts";
import * as matches from "../finding/matches.ts";

export interface User {
  id: string;
  realmId: string;
  pairwiseId: string;
  email: string;
  displayName: string | null;
  roles: Role[];
  profileOverride: number;
  /** How many active profiles the person may have: their own override, else the realm's limit. */
  maxProfiles: number;
  /** How many active profiles the person has. */
  profileCount: number;
  createdAt: Date;
  lockedAt: Date | null;
  offboardedAt: Date | null;
  /** When the personal data was erased: {@link pairwiseId} is then a placeholder. Null: not erased. */
  forgottenAt: Date | null;
}

const activeCount = (at: Date): Sql => sql`(
  select count(*)::integer
    from certificates c
   where c.user_id = u.id
     and ${isActive(sql`c`, at)}
)`;

const columns = (at: Date): Sql => sql`
  u.id, u.realm_id as "realmId", u.pairwise_id as "pairwiseId", u.email,
  u.display_name as "displayName", ${rolesOf(sql`u`)} as roles,
  u.profile_override as "profileOverride",
  ${limitOf(sql`u`, sql`r`)} as "maxProfiles",
  ${activeCount(at)} as "profileCount",
  u.created_at as "createdAt", u.locked_at as "lockedAt", u.offboarded_at as "offboardedAt",
  u.forgotten_at as "forgottenAt"`;

interface InRealm {
  realmId: string;
  userId: string;
}

/**
 * Returns a user; undefined if the realm has no such user. Looks the user up by id, whatever statistics the planner
 * has.
 */
export async function find(db: Db, { realmId, userId, at }: InRealm & { at: Date }): Promise<User | undefined> {
  return first(
    await db.query<User>(lookup`
      select ${columns(at)}
        from (select * from users where id = ${userId} offset 0) u
        join realms r on r.id = u.realm_id
       where u.realm_id = ${realmId}
    `),
  );
}

/** Returns whether the realm has this user. */
export async function exists(db: Db, { realmId, userId }: InRealm): Promise<boolean> {
  const rows = await db.query(sql`select 1 as one from users where realm_id = ${realmId} and id = ${userId}`);
  return rows.length > 0;
}

export const userSortKeys = ["pairwiseid", "created", "profilecount", "lockDate", "blacklistDate"] as const;
export type UserSortKey = (typeof userSortKeys)[number];

export interface UserFilter {
  blacklisted: boolean;
  locked: boolean;
  /** People whom the identity provider or the directory does not permit to use the realm. */
  notPermitted: boolean;
  /** Whether a directory manages the person. */
  managed: boolean;
  minProfileCount: number;
  maxProfileCount: number;
  minCreated: Date;
  maxCreated: Date;
  minLockDate: Date;
  maxLockDate: Date;
  minBlacklistDate: Date;
  maxBlacklistDate: Date;
  email: string;
  /** A role assigned here or by the identity provider. */
  role: Role;
  /** The text to find, as {@link found.isFoundUser} defines. */
  text: string;
  /** Matches users with any of these whole ids. */
  userIDs: string[];
}

/** Up to this many users are sorted in a few milliseconds; with more, a page is found soon in any order. */
const gatheredMax = 5_000;

/** A selection from the list of users: `search` matches inside the pairwise id. */
export type UserSelection = Searching & Pick<PageRequest<UserFilter>, "search" | "filter">;

/** Returns the conditions of a selection: on users `u`, and on their profile counts `p`. */
function conditionsOf({ search, filter, ...asked }: UserSelection): { ofUser: Sql[]; ofCount: Sql[] } {
  const ofUser = [
    when(
      search,
      (text) =>
        sql`(${join([containsText(sql`u.pairwise_id_folded`, text), ...matches.spellsPerson(text)], sql` or `)})`,
    ),
    when(filter.email, (text) => containsText(sql`u.email_folded`, text)),
    // The second condition is the same as the index's condition.
    when(filter.role, (role) => sql`${role} = any(${rolesOf(sql`u`)}) and ${rolesOf(sql`u`)} <> '{}'`),
    when(filter.userIDs, (ids) => sql`u.id = any(${ids}::bigint[])`),
    when(filter.text, (text) => found.isFoundUser({ ...asked, text })),
    when(filter.blacklisted, (is) => (is ? sql`u.offboarded_at is not null` : sql`u.offboarded_at is null`)),
    when(filter.locked, (is) => (is ? sql`u.locked_at is not null` : sql`u.locked_at is null`)),
    when(filter.notPermitted, (is) =>
      is ? sql`u.not_permitted_since is not null` : sql`u.not_permitted_since is null`,
    ),
    when(filter.managed, (is) => {
      const known = sql`(select from scim_users s where s.user_id = u.id and s.deleted_at is null)`;
      return is ? sql`exists ${known}` : sql`not exists ${known}`;
    }),
    when(filter.minCreated, (bound) => sql`u.created_at >= ${bound}`),
    when(filter.maxCreated, (bound) => sql`u.created_at <= ${bound}`),
    when(filter.minLockDate, (bound) => sql`u.locked_at >= ${bound}`),
    when(filter.maxLockDate, (bound) => sql`u.locked_at <= ${bound}`),
    when(filter.minBlacklistDate, (bound) => sql`u.offboarded_at >= ${bound}`),
    when(filter.maxBlacklistDate, (bound) => sql`u.offboarded_at <= ${bound}`),
  ].filter((condition) => condition !== undefined);
  const ofCount = [
    when(filter.minProfileCount, (count) => sql`p.profile_count >= ${count}::integer`),
    when(filter.maxProfileCount, (count) => sql`p.profile_count <= ${count}::integer`),
  ].filter((condition) => condition !== undefined);
  return { ofUser, ofCount };
}

/** Returns the rows of a selection, from a single table if that table has every column needed. */
function rowsOf(selection: UserSelection, { users, counts }: { users: boolean; counts: boolean }): Rows {
  const { ofUser, ofCount } = conditionsOf(selection);
  return {
    from:
      users && counts
        ? sql`users u join user_profile_counts p on p.user_id = u.id`
        : counts
          ? sql`user_profile_counts p`
          : sql`users u`,
    matching: all([
      users ? sql`u.realm_id = ${selection.realmId}` : undefined,
      counts ? sql`p.realm_id = ${selection.realmId}` : undefined,
      ...ofUser,
      ...ofCount,
    ]),
  };
}

/** Selects all users `u` of a selection, not only those of one page. */
export const selected = (selection: UserSelection): Rows =>
  rowsOf(selection, { users: true, counts: conditionsOf(selection).ofCount.length > 0 });

/** Returns a page of a realm's users; `search` matches inside the pairwise id. */
export function list(
  db: Db,
  { page, ...asked }: Searching & { page: PageRequest<UserFilter, UserSortKey> },
): Promise<Page<User>> {
  const { realmId, at, finds } = asked;
  const { search, filter, sort } = page;
  const selection = { ...asked, search, filter };
  const { ofUser, ofCount } = conditionsOf(selection);
  const sortsByCount = sort.some(({ key }) => key === "profilecount");
  const sortsByUser = sort.length === 0 || sort.some(({ key }) => key !== "profilecount");
  const needed = { users: ofUser.length > 0 || sortsByUser, counts: ofCount.length > 0 || sortsByCount };
  const gathered = [
    ...(needed.users ? [sql`u.id, u.pairwise_id, u.created_at, u.locked_at, u.offboarded_at`] : []),
    ...(needed.counts ? [sql`p.user_id, p.profile_count`] : []),
  ];

  return pageOf<User, UserSortKey>(db, {
    page,
    key: ["users", realmId, ...(finds ?? [])],
    ...rowsOf(selection, needed),
    counted: rowsOf(selection, { users: ofUser.length > 0 || ofCount.length === 0, counts: ofCount.length > 0 }),
    ...(ofUser.length + ofCount.length > 0 && {
      gathered: { columns: join(gathered, sql`, `), as: sql`found`, max: gatheredMax },
    }),
    id: sortsByCount ? sql`user_id` : sql`id`,
    newestFirst: sql`created_at`,
    sortedBy: {
      pairwiseid: sql`pairwise_id`,
      created: sql`created_at`,
      profilecount: sql`profile_count`,
      lockDate: { nullable: sql`locked_at` },
      blacklistDate: { nullable: sql`offboarded_at` },
    },
    items: {
      columns: columns(at),
      join: sql`join users u on u.id = page.id join realms r on r.id = u.realm_id`,
    },
  });
}

export interface NewUser {
  realmId: string;
  pairwiseId: string;
  email: string;
  displayName?: string | undefined;
  /** The roles assigned here. */
  roles: readonly Role[];
  /** The roles assigned by the identity provider. */
  providerRoles?: readonly Role[];
  at: Date;
}

/** Creates a user. Throws a unique violation if the realm has a user with this pairwise id. */
export async function create(tx: Db, user: NewUser): Promise<string> {
  const rows = await tx.query<{ id: string }>(sql`
    insert into users (realm_id, pairwise_id, email, display_name, roles, provider_roles, created_at)
    values (${user.realmId}, ${user.pairwiseId}, ${user.email}, ${user.displayName ?? null}, ${user.roles},
            ${user.providerRoles ?? []}, ${user.at})
    returning id
  `);
  return only(rows).id;
}

/** The state of a user whose row is locked until the transaction ends. */
export interface LockedUser {
  profileOverride: number;
  lockedAt: Date | null;
  offboardedAt: Date | null;
  forgottenAt: Date | null;
  /** The roles assigned here and by the identity provider. */
  roles: Role[];
}

/**
 * Locks a user's row: signing the user in, creating something for them and other changes wait until the transaction
 * ends.
 */
export async function lock(tx: Db, { realmId, userId }: InRealm): Promise<LockedUser | undefined> {
  return first(
    await tx.query<LockedUser>(sql`
      select profile_override as "profileOverride", locked_at as "lockedAt", offboarded_at as "offboardedAt",
             forgotten_at as "forgottenAt", ${rolesOf(sql`users`)} as roles
        from users
       where realm_id = ${realmId}
         and id = ${userId}
         for no key update
    `),
  );
}

/** How a user was offboarded. */
export interface Offboarding {
  since: Date;
  /** The bulk job that offboarded the user, while the job is kept and nothing has changed the offboarding since. */
  jobId: string | null;
  /** The grace period, until `revokeAt`; null: the user's profiles are revoked, about to be revoked, or held. */
  grace: { days: number; revokeAt: Date } | null;
  /** The user's profiles are valid until a person confirms the job. */
  isHeld: boolean;
}

/** Returns how a user was offboarded; null if the user is not offboarded, undefined if the realm has no such user. */
export async function findOffboarding(db: Db, { realmId, userId }: InRealm): Promise<Offboarding | null | undefined> {
  const found = first(
    await db.query<
      Pick<Offboarding, "jobId" | "isHeld"> & { since: Date | null; days: number | null; revokeAt: Date | null }
    >(sql`
      select u.offboarded_at as since, j.id as "jobId", j.grace_days as days,
             case when j.state = 'grace' then j.revoke_at end as "revokeAt",
             coalesce(${isHeldJob(sql`j`)}, false) as "isHeld"
        from users u
        left join jobs j on j.id = u.offboarding_job_id and j.realm_id = u.realm_id
       where u.realm_id = ${realmId}
         and u.id = ${userId}
    `),
  );
  if (found === undefined) return undefined;
  const { since, jobId, days, revokeAt, isHeld } = found;
  if (since === null) return null;
  return { since, jobId, grace: days === null || revokeAt === null ? null : { days, revokeAt }, isHeld };
}

/** Locks a person out of new profiles from an instant on, or unlocks them. */
export async function setLockedAt(
  tx: Db,
  { realmId, userId, lockedAt }: InRealm & { lockedAt: Date | null },
): Promise<void> {
  await tx.query(sql`update users set locked_at = ${lockedAt} where realm_id = ${realmId} and id = ${userId}`);
}

/** Sets a person's own limit; 0: the realm's limit applies. */
export async function setProfileOverride(
  tx: Db,
  { realmId, userId, profileOverride }: InRealm & { profileOverride: number },
): Promise<void> {
  await tx.query(sql`
    update users set profile_override = ${profileOverride} where realm_id = ${realmId} and id = ${userId}
  `);
}

/**
 * Allows an offboarded person to sign in again; restores nothing else that ended. A trigger removes roles that an earlier
 * release left to the person.
 */
export async function reactivate(tx: Db, { realmId, userId }: InRealm): Promise<void> {
  await tx.query(sql`
    update users set offboarded_at = null, offboarding_job_id = null where realm_id = ${realmId} and id = ${userId}
  `);
}

/** The period in which a person had no access. */
export interface Absence {
  from: Date;
  to: Date;
}

/** Removes and returns the absence that a reactivated person has not been shown yet. */
export async function takeAbsence(db: Db, { realmId, userId }: InRealm): Promise<Absence | undefined> {
  return first(
    await db.query<Absence>(sql`
      delete from absences where realm_id = ${realmId} and user_id = ${userId}
      returning ended_at as "from", back_at as "to"
    `),
  );
}
