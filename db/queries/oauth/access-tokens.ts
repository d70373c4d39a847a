import type { Role } from "../../../domain/people/roles.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import { tokensOfHolderMax } from "../../../domain/limits.ts";
import type { Db } from "../../client.ts";
import { hasEnded, isActive, rolesOf, withClaims, withImplied } from "../../rules.ts";
import { lookup, ofAnyLength, sql, type Sql } from "../../sql.ts";

export interface NewAccessToken {
  tokenHash: Uint8Array;
  realmId: string;
  clientId: string | null;
  userId: string | null;
  guestAccountId: string | null;
  secretHash: Uint8Array | null;
  /** The session of a user's token. */
  sessionId: string | null;
  /** The profile with which a user's token was requested over mutual TLS. */
  certificateId: string | null;
  scopes: readonly Scope[];
  at: Date;
  expiresAt: Date;
}

/**
 * Stores an access token. The same statement removes a guest account's oldest tokens beyond {@link tokensOfHolderMax};
 * for a service, only one in 32 statements removes tokens, because reading a thousand rows each time would double the
 * cost of a token.
 */
export async function create(db: Db, token: NewAccessToken): Promise<void> {
  await db.query(sql`
    ${withoutSurplus(token)}
    insert into access_tokens (token_hash, realm_id, client_id, user_id, guest_account_id, secret_hash, session_id,
                               certificate_id, scopes, created_at, expires_at)
    values (${token.tokenHash}, ${token.realmId}, ${token.clientId}, ${token.userId}, ${token.guestAccountId},
            ${token.secretHash}, ${token.sessionId}, ${token.certificateId}, ${token.scopes}, ${token.at}, ${token.expiresAt})
  `);
}

function withoutSurplus({ tokenHash, userId, guestAccountId, clientId }: NewAccessToken): Sql {
  const ofHolder =
    guestAccountId !== null
      ? sql`guest_account_id = ${guestAccountId}`
      : userId === null && (tokenHash[0] ?? 0) % 32 === 0
        ? sql`client_id = ${clientId} and user_id is null`
        : undefined;
  if (ofHolder === undefined) return sql``;
  // Deletes by ctid, always in the same order, so two concurrent statements do not wait for each other.
  return sql`
    with surplus as (
      delete from access_tokens
       where ctid = any(array(select ctid
                                from access_tokens
                               where ${ofHolder}
                               order by created_at desc
                              offset ${tokensOfHolderMax - 1}::integer))
    )`;
}

/** The holder of a valid token. */
export interface TokenHolder {
  realmId: string;
  clientId: string | null;
  userId: string | null;
  guestAccountId: string | null;
  /** Null: the holder is not a user. */
  roles: Role[] | null;
  sessionId: string | null;
  certificateId: string | null;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date;
}

/** Removes one access token of a client. */
export async function removeOfClient(
  db: Db,
  { tokenHash, clientId }: { tokenHash: Uint8Array; clientId: string },
): Promise<void> {
  await db.query(sql`delete from access_tokens where token_hash = ${tokenHash} and client_id = ${clientId}`);
}

/** The result for a token; {@link findHolders} explains `suspended` and undefined. */
export type FoundHolder = TokenHolder | "suspended" | undefined;

/**
 * Returns the holders of tokens. This is the one query of authentication: token, user, guest account, client, secret
 * and profile must all be valid at this instant. Looks up all tokens together; results are in the order of the tokens.
 * `suspended`: something that the token depends on has ended, or is switched off, locked out or replaced, or the
 * application no longer has all the scopes; the token may become valid again. Undefined: the token does not exist or
 * has expired, and will never be valid again.
 */
export async function findHolders(
  db: Db,
  { tokenHashes, at }: { tokenHashes: readonly Uint8Array[]; at: Date },
): Promise<FoundHolder[]> {
  const rows = await db.query<TokenHolder & { valid: boolean; place: string }>(lookup`
    select asked.place, t.realm_id as "realmId", t.client_id as "clientId", t.user_id as "userId",
           t.guest_account_id as "guestAccountId", u.roles, t.session_id as "sessionId",
           t.certificate_id as "certificateId", t.scopes, t.created_at as "createdAt", t.expires_at as "expiresAt",
           u.offboarded_at is null
           and (t.guest_account_id is null or not ${hasEnded(sql`g`, at)})
           and (t.client_id is null or (a.active and (t.scopes <@ a.scopes or t.scopes <@ ${withClaims(withImplied(sql`a.scopes`))})))
           and (s.expires_at is null or s.expires_at > ${at})
           and (t.certificate_id is null or ${isActive(sql`c`, at)}) as valid
      from unnest(${ofAnyLength(tokenHashes, sql`bytea[]`)}) with ordinality as asked (token_hash, place)
     cross join lateral (select *
                           from access_tokens
                          where token_hash = asked.token_hash
                            and expires_at > ${at}
                         offset 0) t
      left join lateral (select ${rolesOf(sql`o`)} as roles, o.offboarded_at from users o where o.id = t.user_id offset 0) u on true
      left join lateral (select expires_at, revoked_at from guest_accounts where id = t.guest_account_id offset 0) g on true
      left join lateral (select active, scopes from applications where client_id = t.client_id offset 0) a on true
      left join lateral (select expires_at from application_secrets where secret_hash = t.secret_hash offset 0) s on true
      left join lateral (select revoked_at, not_after from certificates where id = t.certificate_id offset 0) c on true
  `);
  const found = tokenHashes.map((): FoundHolder => undefined);
  for (const { place, valid, ...holder } of rows) found[Number(place) - 1] = valid ? holder : "suspended";
  return found;
}
