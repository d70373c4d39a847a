import type { Role } from "../../../domain/people/roles.ts";
import { first, only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/**
 * A user's identity at an identity provider: the provider's issuer, and the provider's permanent identifier of the
 * user.
 */
export interface UpstreamIdentity {
  realmId: string;
  issuer: string;
  subject: string;
}

/** A user as sign-in reads and changes them. */
export interface UpstreamUser {
  id: string;
  email: string;
  displayName: string | null;
  /** The roles assigned here, and the roles assigned by the identity provider. */
  given: Role[];
  fromProvider: Role[];
  offboardedAt: Date | null;
  /**
   * When the realm's rules began to deny the user access, by the provider's claims or the directory's attributes;
   * null: the user has access.
   */
  notPermittedSince: Date | null;
  /** Whether a directory determines the user's name and e-mail address. */
  isManaged: boolean;
}

const columns = sql`
  u.id, u.email, u.display_name as "displayName", u.roles as given, u.provider_roles as "fromProvider",
  u.offboarded_at as "offboardedAt", u.not_permitted_since as "notPermittedSince",
  exists (select
            from scim_users s
           where s.user_id = u.id
             and s.deleted_at is null
             and s.client_id is not null) as "isManaged"`;

/** Returns the user with this identity, with the row locked until the transaction ends. */
export async function lockUser(
  tx: Db,
  { realmId, issuer, subject }: UpstreamIdentity,
): Promise<UpstreamUser | undefined> {
  return first(
    await tx.query<UpstreamUser>(sql`
      select ${columns}
        from upstream_identities i
        join users u on u.id = i.user_id
       where i.realm_id = ${realmId}
         and i.issuer = ${issuer}
         and i.subject = ${subject}
         and u.realm_id = ${realmId}
         for no key update of u
    `),
  );
}

/**
 * Returns the realm's user with this pairwise id, exactly or, if only one user matches, in another spelling (see
 * `foldId` of the domain); `ambiguous` if only other spellings match, and several do. The rows are locked until the
 * transaction ends.
 */
export async function lockUserByPairwiseId(
  tx: Db,
  { realmId, pairwiseId }: { realmId: string; pairwiseId: string },
): Promise<UpstreamUser | "ambiguous" | undefined> {
  const found = await tx.query<UpstreamUser & { isExact: boolean }>(sql`
    select ${columns}, u.pairwise_id = ${pairwiseId} as "isExact"
      from users u
     where u.realm_id = ${realmId}
       and folded_id(u.pairwise_id) = folded_id(${pairwiseId})
     order by u.id
       for no key update
  `);
  return found.find(({ isExact }) => isExact) ?? (found.length > 1 ? "ambiguous" : first(found));
}

/** Returns an issuer's identifier of a user; undefined if the issuer has no identifier of this user. */
export async function subjectOf(
  tx: Db,
  { realmId, userId, issuer }: { realmId: string; userId: string; issuer: string },
): Promise<string | undefined> {
  const row = first(
    await tx.query<{ subject: string }>(sql`
      select subject
        from upstream_identities
       where realm_id = ${realmId}
         and user_id = ${userId}
         and issuer = ${issuer}
    `),
  );
  return row?.subject;
}

/** Returns when a person of the realm last signed in through its identity provider, according to the audit log. */
export async function findLastSignIn(db: Db, { realmId }: { realmId: string }): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`
    select max(at) as at
      from audit_entries
     where realm_id = ${realmId}
       and event in ('user_login', 'admin_login')
       and properties ->> 'method' = 'upstream'
  `);
  return only(rows).at;
}

/**
 * Stores a user's identity. Throws a unique violation of `upstream_identities_pkey` if a user already has the identity,
 * and of `upstream_identities_one_per_user` if the user has another identity at this issuer.
 */
export async function create(tx: Db, identity: UpstreamIdentity & { userId: string; at: Date }): Promise<void> {
  await tx.query(sql`
    insert into upstream_identities (realm_id, issuer, subject, user_id, created_at)
    values (${identity.realmId}, ${identity.issuer}, ${identity.subject}, ${identity.userId}, ${identity.at})
  `);
}

/** Sets the e-mail address and the name of a user. */
export async function updateUser(
  tx: Db,
  { realmId, user }: { realmId: string; user: Pick<UpstreamUser, "id" | "email" | "displayName"> },
): Promise<void> {
  await tx.query(sql`
    update users
       set email        = ${user.email},
           display_name = ${user.displayName}
     where realm_id = ${realmId}
       and id = ${user.id}
  `);
}

/** Sets since when a user may not use the realm; null: they may. */
export async function setNotPermitted(
  tx: Db,
  { realmId, userId, since }: { realmId: string; userId: string; since: Date | null },
): Promise<void> {
  await tx.query(sql`
    update users
       set not_permitted_since = ${since}
     where realm_id = ${realmId}
       and id = ${userId}
  `);
}

/** Sets whether a user may use the realm. Returns false if this changes nothing. */
export async function changePermitted(
  tx: Db,
  { realmId, userId, permitted, at }: { realmId: string; userId: string; permitted: boolean; at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update users
       set not_permitted_since = case when not ${permitted}::boolean then ${at}::timestamptz end
     where realm_id = ${realmId}
       and id = ${userId}
       and (not_permitted_since is null) <> ${permitted}::boolean
    returning id
  `);
  return rows.length > 0;
}

/** A user's identities, and since when the realm's rules have denied the user access. */
export interface IdentitiesOfUser {
  identities: { issuer: string; since: Date }[];
  /** See {@link UpstreamUser.notPermittedSince}. */
  notPermittedSince: Date | null;
}

/** Returns the identities of a user, oldest first; undefined if the realm has no such user. */
export async function findOfUser(
  db: Db,
  { realmId, userId }: { realmId: string; userId: string },
): Promise<IdentitiesOfUser | undefined> {
  const rows = await db.query<{ issuer: string | null; since: Date | null; notPermittedSince: Date | null }>(sql`
    select i.issuer, i.created_at as since, u.not_permitted_since as "notPermittedSince"
      from users u
      left join upstream_identities i on i.user_id = u.id and i.realm_id = u.realm_id
     where u.realm_id = ${realmId}
       and u.id = ${userId}
     order by i.created_at, i.issuer
  `);
  const [row] = rows;
  return (
    row && {
      notPermittedSince: row.notPermittedSince,
      identities: rows.flatMap(({ issuer, since }) => (issuer === null || since === null ? [] : [{ issuer, since }])),
    }
  );
}
