import type { Scope } from "../../../domain/people/scopes.ts";
import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

export interface NewSession {
  /** The `sid` of the session's id tokens. */
  id: string;
  realmId: string;
  userId: string;
  clientId: string;
  /** The browser login that the session came from; null for mutual TLS. */
  loginId: string | null;
  /** The profile that the user signed in with; null for browsers. */
  certificateId: string | null;
  scopes: readonly Scope[];
  signedInAt: Date;
  at: Date;
  /** When the session ends if nothing extends it: with its code or, for mutual TLS, with its access token. */
  expiresAt: Date;
}

/**
 * Creates a session, unless its user is offboarded: creation and offboarding wait for each other, so an offboarding
 * misses no session. Returns false if no session was created.
 */
export async function create(tx: Db, session: NewSession): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into sessions (id, realm_id, user_id, client_id, login_id, certificate_id, scopes, signed_in_at, created_at,
                          last_used_at, expires_at)
    select ${session.id}::uuid, ${session.realmId}::bigint, u.id, ${session.clientId}, ${session.loginId}::uuid,
           ${session.certificateId}::bigint, ${session.scopes}::text[], ${session.signedInAt}::timestamptz,
           ${session.at}::timestamptz, ${session.at}::timestamptz, ${session.expiresAt}::timestamptz
      from users u
     where u.id = ${session.userId}
       and u.realm_id = ${session.realmId}
       and u.offboarded_at is null
       for share of u
    returning id
  `);
  return rows.length > 0;
}

/** Locks the session of a code until the transaction ends, so concurrent exchanges run one after another. */
export async function lockByCode(tx: Db, { codeHash }: { codeHash: Uint8Array }): Promise<void> {
  await tx.query(sql`
    select id
      from sessions
     where id = (select session_id from authorization_codes where code_hash = ${codeHash})
       for update
  `);
}

/** Extends a session once its code is redeemed. */
export async function establish(tx: Db, { id, expiresAt }: { id: string; expiresAt: Date }): Promise<void> {
  await tx.query(sql`update sessions set expires_at = ${expiresAt} where id = ${id}`);
}

/** Records that a session was used, at most once a minute. */
export async function markUsed(db: Db, { id, at }: { id: string; at: Date }): Promise<void> {
  await db.query(sql`
    update sessions
       set last_used_at = ${at}
     where id = ${id}
       and last_used_at < ${at}::timestamptz - interval '1 minute'
  `);
}

/** A session as its owner and administrators see it. */
export interface SessionRow {
  id: string;
  realmId: string;
  userId: string;
  clientId: string;
  clientName: string;
  scopes: Scope[];
  signedInAt: Date;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
}

/** Lists a user's sessions that have not expired, newest first. */
export const listOfUser = (
  db: Db,
  { realmId, userId, at }: { realmId: string; userId: string; at: Date },
): Promise<SessionRow[]> =>
  db.query<SessionRow>(sql`
    select s.id, s.realm_id as "realmId", s.user_id as "userId", s.client_id as "clientId", a.name as "clientName",
           s.scopes, s.signed_in_at as "signedInAt", s.created_at as "createdAt", s.last_used_at as "lastUsedAt",
           s.expires_at as "expiresAt"
      from sessions s
      join applications a on a.client_id = s.client_id
     where s.realm_id = ${realmId}
       and s.user_id = ${userId}
       and s.expires_at > ${at}
     order by s.created_at desc, s.id
  `);

/** Returns the ids of a client's sessions that began with a browser login. */
export async function listOfLogin(
  db: Db,
  { loginId, clientId }: { loginId: string; clientId: string },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from sessions where login_id = ${loginId} and client_id = ${clientId} order by id
  `);
  return rows.map(({ id }) => id);
}

/**
 * A session that was removed: its user and client, and the browser login in which it began; null: none, or that login
 * has ended.
 */
export interface EndedSession {
  realmId: string;
  userId: string;
  clientId: string;
  loginId: string | null;
}

const endedColumns = sql`realm_id as "realmId", user_id as "userId", client_id as "clientId", login_id as "loginId"`;

/** Removes one session of a user with its code and tokens. Returns undefined if there is no such session. */
export async function removeOfUser(
  tx: Db,
  { realmId, userId, id }: { realmId: string; userId: string; id: string },
): Promise<EndedSession | undefined> {
  return first(
    await tx.query<EndedSession>(sql`
      delete from sessions
       where id = ${id}
         and realm_id = ${realmId}
         and user_id = ${userId}
      returning ${endedColumns}
    `),
  );
}

/** Removes one session of a client with its code and tokens. Returns undefined if there is no such session. */
export async function remove(
  tx: Db,
  { id, clientId }: { id: string; clientId: string },
): Promise<EndedSession | undefined> {
  return first(
    await tx.query<EndedSession>(sql`
      delete from sessions
       where id = ${id}
         and client_id = ${clientId}
      returning ${endedColumns}
    `),
  );
}

/**
 * Ends everything that users are signed in to: browsers, sessions, codes, tokens, sign-in links and the authorizations
 * of apps.
 */
export async function removeAllOfUsers(tx: Db, { userIds }: { userIds: readonly string[] }): Promise<void> {
  await tx.query(sql`select end_sign_ins(${userIds}::bigint[])`);
}

/** Ends a user's sessions with one client, and returns how many. */
export async function removeOfClient(
  tx: Db,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<number> {
  const rows = await tx.query(sql`
    delete from sessions where user_id = ${userId} and client_id = ${clientId} returning id
  `);
  return rows.length;
}
