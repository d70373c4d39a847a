import type { Role } from "../../../domain/people/roles.ts";
import { first, only, type Db } from "../../client.ts";
import { rolesOf } from "../../rules.ts";
import { sql } from "../../sql.ts";

/**
 * Gives a user a local account: a username, and a password unless links suffice. Throws a unique violation if the
 * username is taken, or the user already has a local account.
 */
export async function create(
  tx: Db,
  row: { userId: string; realmId: string; username: string; passwordHash: string | null },
): Promise<void> {
  await tx.query(sql`
    insert into local_credentials (user_id, realm_id, username, password_hash)
    values (${row.userId}, ${row.realmId}, ${row.username}, ${row.passwordHash})
  `);
}

/** Returns the user with this username. */
export async function findUserId(
  db: Db,
  { realmId, username }: { realmId: string; username: string },
): Promise<string | undefined> {
  const row = first(
    await db.query<{ userId: string }>(sql`
      select user_id as "userId"
        from local_credentials
       where realm_id = ${realmId}
         and lower(username) = lower(${username})
    `),
  );
  return row?.userId;
}

/** How a user can sign in again. */
export interface WaysIn {
  /** The user has their own password or can sign in through the realm's identity provider. */
  hasWay: boolean;
  /** A link has signed the user in lately, their local account has no password, and the realm has local sign-in. */
  maySetPassword: boolean;
}

export async function findWaysIn(db: Db, { realmId, userId }: { realmId: string; userId: string }): Promise<WaysIn> {
  return only(
    await db.query<WaysIn>(sql`
      select (r.local_sign_in and coalesce(c.password_hash is not null, false))
             or exists (
               select from upstream_identities i
                where i.user_id = u.id
                  and i.realm_id = r.id
                  and i.issuer = r.upstream_issuer
                  and r.upstream_client_id is not null
             ) as "hasWay",
             r.local_sign_in and c.user_id is not null and c.password_hash is null
             and exists (select from sign_in_links l where l.user_id = u.id and l.consumed_at is not null)
               as "maySetPassword"
        from users u
        join realms r on r.id = u.realm_id
        left join local_credentials c on c.user_id = u.id
       where u.id = ${userId}
         and u.realm_id = ${realmId}
    `),
  );
}

/** Sets the password of a local account without a password. Returns false if there is no such account. */
export async function setFirstPassword(
  tx: Db,
  { realmId, userId, passwordHash }: { realmId: string; userId: string; passwordHash: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update local_credentials
       set password_hash = ${passwordHash}
     where user_id = ${userId}
       and realm_id = ${realmId}
       and password_hash is null
    returning user_id
  `);
  return rows.length > 0;
}

/** The credential that a local sign-in is checked against. */
export interface LocalCredential {
  userId: string;
  /** Null: the account has no password, and only links sign in to it. */
  passwordHash: string | null;
  roles: Role[];
  offboardedAt: Date | null;
}

/**
 * A username as the database folds it (two spellings with the same folded form are the same name), and the credential
 * of its account.
 */
export interface NamedCredential {
  folded: string;
  /** Undefined: no account has this name. */
  credential: LocalCredential | undefined;
}

export async function find(
  db: Db,
  { realmId, username }: { realmId: string; username: string },
): Promise<NamedCredential> {
  const { folded, userId, passwordHash, roles, offboardedAt } = only(
    await db.query<{ folded: string } & (LocalCredential | Record<keyof LocalCredential, null>)>(sql`
      select n.folded, c.user_id as "userId", c.password_hash as "passwordHash", ${rolesOf(sql`u`)} as roles,
             u.offboarded_at as "offboardedAt"
        from (select lower(${username}::text) as folded) n
        left join local_credentials c on c.realm_id = ${realmId} and lower(c.username) = n.folded
        left join users u on u.id = c.user_id
    `),
  );
  return { folded, credential: userId === null ? undefined : { userId, passwordHash, roles, offboardedAt } };
}

/** Returns a username as the database folds it. */
export async function fold(db: Db, username: string): Promise<string> {
  return only(await db.query<{ folded: string }>(sql`select lower(${username}::text) as folded`)).folded;
}
