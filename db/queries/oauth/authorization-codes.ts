import type { Role } from "../../../domain/people/roles.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import { first, type Db } from "../../client.ts";
import { rolesOf, withClaims } from "../../rules.ts";
import { sql } from "../../sql.ts";

export interface NewAuthorizationCode {
  codeHash: Uint8Array;
  sessionId: string;
  redirectUri: string;
  /** S256 (RFC 7636); null when the client sent none. */
  codeChallenge: string | null;
  nonce: string | null;
  at: Date;
  expiresAt: Date;
}

export async function create(tx: Db, code: NewAuthorizationCode): Promise<void> {
  await tx.query(sql`
    insert into authorization_codes (code_hash, session_id, redirect_uri, code_challenge, nonce, created_at, expires_at)
    values (${code.codeHash}, ${code.sessionId}, ${code.redirectUri}, ${code.codeChallenge}, ${code.nonce}, ${code.at},
            ${code.expiresAt})
  `);
}

/** A code, with the session, the user and the scopes that it was issued for. */
export interface AuthorizationCode {
  sessionId: string;
  clientId: string;
  redirectUri: string;
  codeChallenge: string | null;
  nonce: string | null;
  expiresAt: Date;
  consumedAt: Date | null;
  realmId: string;
  userId: string;
  pairwiseId: string;
  roles: Role[];
  /**
   * The scopes that the client requested for the session; its tokens have the scopes that the user can grant and was
   * shown.
   */
  scopes: Scope[];
  /** Whether the application is part of this service; if so, the user is not asked for consent. */
  firstParty: boolean;
  /** The scopes that the consent page listed; null: a consent from an earlier release, or no consent. */
  shown: Scope[] | null;
  /** The scopes of the consent; a consent of an earlier release has the requested scopes. Null: there is no consent. */
  consented: Scope[] | null;
  signedInAt: Date;
}

/**
 * Returns a code, used or not; undefined if there is no such code, its user is offboarded or its application no longer
 * has all the scopes.
 */
export async function find(db: Db, { codeHash }: { codeHash: Uint8Array }): Promise<AuthorizationCode | undefined> {
  return first(
    await db.query<AuthorizationCode>(sql`
      select c.session_id as "sessionId", s.client_id as "clientId", c.redirect_uri as "redirectUri",
             c.code_challenge as "codeChallenge", c.nonce, c.expires_at as "expiresAt", c.consumed_at as "consumedAt",
             s.realm_id as "realmId", s.user_id as "userId", u.pairwise_id as "pairwiseId", ${rolesOf(sql`u`)} as roles, s.scopes,
             a.first_party as "firstParty", k.shown_scopes as shown, k.scopes as consented,
             s.signed_in_at as "signedInAt"
        from authorization_codes c
        join sessions s on s.id = c.session_id
        join users u on u.id = s.user_id
        join applications a on a.client_id = s.client_id
        left join consents k on k.user_id = s.user_id and k.client_id = s.client_id
       where c.code_hash = ${codeHash}
         and u.offboarded_at is null
         and s.scopes <@ ${withClaims(sql`a.scopes`)}
    `),
  );
}

export async function consume(tx: Db, { codeHash, at }: { codeHash: Uint8Array; at: Date }): Promise<void> {
  await tx.query(sql`update authorization_codes set consumed_at = ${at} where code_hash = ${codeHash}`);
}
