import type { Role } from "../../../domain/people/roles.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import { consoleIdleMinutes } from "../../../domain/lifetimes.ts";
import { first, type Db } from "../../client.ts";
import { rolesOf } from "../../rules.ts";
import { sql } from "../../sql.ts";

/** Returns the context that a session's tokens are sealed for. */
export const tokensContext = (id: string): string => `console_sessions/${id}`;

/** A browser in which the console is open. */
export interface ConsoleSession {
  id: string;
  realmId: string;
  userId: string;
  /** The OAuth session that the console's tokens belong to. */
  sessionId: string;
  loginId: string;
  sealedTokens: Buffer;
  accessExpiresAt: Date;
  /** When the session expires if it is not used. */
  expiresAt: Date;
  /** When the session expires in any case: at the end of the browser's login. */
  absoluteExpiresAt: Date;
}

export interface NewConsoleSession {
  id: string;
  tokenHash: Uint8Array;
  sessionId: string;
  sealedTokens: Uint8Array;
  accessExpiresAt: Date;
  at: Date;
}

const columns = sql`
  c.id, c.realm_id as "realmId", c.user_id as "userId", c.session_id as "sessionId", c.login_id as "loginId",
  c.sealed_tokens as "sealedTokens", c.access_expires_at as "accessExpiresAt", c.expires_at as "expiresAt",
  c.absolute_expires_at as "absoluteExpiresAt"`;

/**
 * Opens the console on an OAuth session, which from now on ends with the console session. Returns undefined when the
 * OAuth session or the browser's login has ended in the meantime.
 */
export async function create(tx: Db, session: NewConsoleSession): Promise<ConsoleSession | undefined> {
  const made = first(
    await tx.query<ConsoleSession>(sql`
      insert into console_sessions as c (id, token_hash, realm_id, user_id, session_id, login_id, sealed_tokens,
                                         access_expires_at, created_at, expires_at, absolute_expires_at)
      select ${session.id}::uuid, ${session.tokenHash}::bytea, s.realm_id, s.user_id, s.id, l.id,
             ${session.sealedTokens}::bytea, ${session.accessExpiresAt}::timestamptz, ${session.at}::timestamptz,
             least(${session.at}::timestamptz + make_interval(mins => ${consoleIdleMinutes}), l.expires_at), l.expires_at
        from sessions s
        join logins l on l.id = s.login_id
       where s.id = ${session.sessionId}
         and l.expires_at > ${session.at}
         for no key update of s
      returning ${columns}
    `),
  );
  if (made === undefined) return undefined;
  await tx.query(sql`update sessions set expires_at = ${made.absoluteExpiresAt} where id = ${made.sessionId}`);
  return made;
}

/** Returns the session of a cookie; undefined if it has expired or ended. */
export async function find(
  db: Db,
  { tokenHash, at }: { tokenHash: Uint8Array; at: Date },
): Promise<ConsoleSession | undefined> {
  return first(
    await db.query<ConsoleSession>(sql`
      select ${columns}
        from console_sessions c
       where c.token_hash = ${tokenHash}
         and c.expires_at > ${at}
    `),
  );
}

/**
 * Returns the current state of a session; other requests cannot renew its tokens until the transaction ends. Locks the
 * OAuth session's row: all code that ends a session locks that row first.
 */
export async function lock(
  tx: Db,
  { id, sessionId, at }: { id: string; sessionId: string; at: Date },
): Promise<ConsoleSession | undefined> {
  await tx.query(sql`select id from sessions where id = ${sessionId} for no key update`);
  return first(
    await tx.query<ConsoleSession>(sql`
      select ${columns} from console_sessions c where c.id = ${id} and c.expires_at > ${at}
    `),
  );
}

/**
 * Makes a user's console sessions renew their tokens at the next call, so the tokens match the user's current roles.
 * The user does not sign in again.
 */
export async function renewSoon(tx: Db, { userId, at }: { userId: string; at: Date }): Promise<void> {
  await tx.query(sql`
    update console_sessions
       set access_expires_at = least(access_expires_at, ${at}::timestamptz)
     where user_id = ${userId}
  `);
}

/** Stores renewed tokens. */
export async function renew(
  tx: Db,
  { id, sealedTokens, accessExpiresAt }: Pick<NewConsoleSession, "id" | "sealedTokens" | "accessExpiresAt">,
): Promise<void> {
  await tx.query(sql`
    update console_sessions
       set sealed_tokens = ${sealedTokens}, access_expires_at = ${accessExpiresAt}
     where id = ${id}
  `);
}

/** Extends a session from this instant, at most to its absolute end; undefined if it has expired or ended. */
export async function extend(db: Db, { id, at }: { id: string; at: Date }): Promise<ConsoleSession | undefined> {
  return first(
    await db.query<ConsoleSession>(sql`
      update console_sessions c
         set expires_at = least(${at}::timestamptz + make_interval(mins => ${consoleIdleMinutes}), c.absolute_expires_at)
       where c.id = ${id}
         and c.expires_at > ${at}
      returning ${columns}
    `),
  );
}

/** Ends the session of a cookie, with its OAuth session and its tokens. */
export async function removeByToken(tx: Db, { tokenHash }: { tokenHash: Uint8Array }): Promise<void> {
  await tx.query(sql`
    delete from sessions where id = (select session_id from console_sessions where token_hash = ${tokenHash})
  `);
}

/** A user with an open console. */
export interface ConsolePerson {
  userId: string;
  displayName: string | null;
  username: string | null;
  email: string;
  pairwiseId: string;
  roles: Role[];
  /** The scopes requested when the console was opened. */
  scopes: Scope[];
  realmName: string;
  realmDisplayName: string;
  realmLogoUri: string;
  realmTimeZone: string;
  /** The longest lifetime, in days, that guest managers may give a guest account. */
  guestDaysMax: number;
  guestLimitMax: number;
}

export async function findPerson(
  db: Db,
  { userId, sessionId }: Pick<ConsoleSession, "userId" | "sessionId">,
): Promise<ConsolePerson | undefined> {
  return first(
    await db.query<ConsolePerson>(sql`
      select u.id as "userId", u.display_name as "displayName", c.username, u.email, u.pairwise_id as "pairwiseId",
             ${rolesOf(sql`u`)} as roles, s.scopes, r.name as "realmName", r.display_name as "realmDisplayName", r.logo_uri as "realmLogoUri",
             r.time_zone as "realmTimeZone",
             r.guest_days_max as "guestDaysMax", r.guest_limit_max as "guestLimitMax"
        from users u
        join realms r on r.id = u.realm_id
        join sessions s on s.user_id = u.id and s.id = ${sessionId}
        left join local_credentials c on c.user_id = u.id
       where u.id = ${userId}
         and u.offboarded_at is null
    `),
  );
}
