import type { Role } from "../../../domain/people/roles.ts";
import { first, type Db } from "../../client.ts";
import { rolesOf } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";

/** The ways to sign in. */
export const signInMethods = ["local", "upstream", "link"] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** A browser in which a user is signed in. */
export interface Login {
  id: string;
  realmId: string;
  userId: string;
  method: SignInMethod;
  signedInAt: Date;
  expiresAt: Date;
  roles: Role[];
  pairwiseId: string;
  email: string;
  displayName: string | null;
  /** The name for local sign-in, if the user has one. */
  username: string | null;
}

export interface NewLogin {
  id: string;
  tokenHash: Uint8Array;
  realmId: string;
  userId: string;
  method: SignInMethod;
  at: Date;
  expiresAt: Date;
}

/**
 * Signs a user in, unless they are offboarded: a sign-in and an offboarding wait for each other. Returns false when no
 * login was created.
 */
export async function create(tx: Db, login: NewLogin): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into logins (id, token_hash, realm_id, user_id, method, signed_in_at, expires_at)
    select ${login.id}::uuid, ${login.tokenHash}::bytea, u.realm_id, u.id, ${login.method}, ${login.at}::timestamptz,
           ${login.expiresAt}::timestamptz
      from users u
     where u.id = ${login.userId}
       and u.realm_id = ${login.realmId}
       and u.offboarded_at is null
       for share of u
    returning id
  `);
  return rows.length > 0;
}

/** Returns the login of a cookie with its user; undefined if it has expired or ended, or its user is offboarded. */
export async function find(db: Db, { tokenHash, at }: { tokenHash: Uint8Array; at: Date }): Promise<Login | undefined> {
  return first(
    await db.query<Login>(sql`
      select l.id, l.realm_id as "realmId", l.user_id as "userId", l.method, l.signed_in_at as "signedInAt",
             l.expires_at as "expiresAt", ${rolesOf(sql`u`)} as roles, u.pairwise_id as "pairwiseId", u.email,
             u.display_name as "displayName", c.username
        from logins l
        join users u on u.id = l.user_id
        left join local_credentials c on c.user_id = l.user_id
       where l.token_hash = ${tokenHash}
         and l.expires_at > ${at}
         and u.offboarded_at is null
    `),
  );
}

/** Ends a login by its cookie's hash. The sessions that began with it stay, except the console's. */
export const removeByToken = (tx: Db, { tokenHash }: { tokenHash: Uint8Array }): Promise<void> =>
  removeThose(tx, sql`token_hash = ${tokenHash}`);

/** Ends a login. The sessions that began with it stay, except the console's. */
export const remove = (tx: Db, { id }: { id: string }): Promise<void> => removeThose(tx, sql`id = ${id}`);

async function removeThose(tx: Db, matching: Sql): Promise<void> {
  // Deletes sessions first, in the same order as all other code.
  await tx.query(sql`
    delete from sessions
     where id in (select c.session_id
                    from console_sessions c
                   where c.login_id in (select id from logins where ${matching}))
  `);
  await tx.query(sql`delete from logins where ${matching}`);
}
