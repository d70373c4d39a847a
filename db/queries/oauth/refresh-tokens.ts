import type { Role } from "../../../domain/people/roles.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import { sessionIdleDays } from "../../../domain/lifetimes.ts";
import { first, type Db } from "../../client.ts";
import { rolesOf, withClaims } from "../../rules.ts";
import { sql } from "../../sql.ts";

export async function create(
  tx: Db,
  token: { tokenHash: Uint8Array; sessionId: string; at: Date; expiresAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into refresh_tokens (token_hash, session_id, created_at, expires_at)
    values (${token.tokenHash}, ${token.sessionId}, ${token.at}, ${token.expiresAt})
  `);
}

/** A valid refresh token, with its session. */
export interface RefreshToken {
  sessionId: string;
  clientId: string;
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
  createdAt: Date;
  expiresAt: Date;
}

/**
 * Returns an unexpired refresh token that has not been idle too long, of a user who is not offboarded, for scopes that
 * the application still has.
 */
export async function find(
  db: Db,
  { tokenHash, at }: { tokenHash: Uint8Array; at: Date },
): Promise<RefreshToken | undefined> {
  return first(
    await db.query<RefreshToken>(sql`
      select r.session_id as "sessionId", s.client_id as "clientId", s.realm_id as "realmId", s.user_id as "userId",
             u.pairwise_id as "pairwiseId", ${rolesOf(sql`u`)} as roles, s.scopes,
             a.first_party as "firstParty", k.shown_scopes as shown, k.scopes as consented, s.signed_in_at as "signedInAt", r.created_at as "createdAt",
             least(r.expires_at, s.expires_at) as "expiresAt"
        from refresh_tokens r
        join sessions s on s.id = r.session_id
        join users u on u.id = s.user_id
        join applications a on a.client_id = s.client_id
        left join consents k on k.user_id = s.user_id and k.client_id = s.client_id
       where r.token_hash = ${tokenHash}
         and r.expires_at > ${at}
         and s.expires_at > ${at}
         and s.last_used_at > ${at}::timestamptz - make_interval(days => ${sessionIdleDays})
         and u.offboarded_at is null
         and s.scopes <@ ${withClaims(sql`a.scopes`)}
    `),
  );
}
