import { first, type Db } from "../../client.ts";
import { lookup, sql } from "../../sql.ts";

/** An application's token, which is valid until it is deleted or expires. */
export interface StaticToken {
  id: string;
  name: string | null;
  /** Addresses and networks that calls may come from; empty: any address. */
  networks: string[];
  createdAt: Date;
  /** The user or client that created the token. */
  createdBy: string;
  /** Null: the token is valid until it is deleted. */
  expiresAt: Date | null;
  /** When the token was last used, to the minute; null: never. */
  lastUsedAt: Date | null;
}

interface NewStaticToken extends Omit<StaticToken, "createdAt" | "lastUsedAt"> {
  realmId: string;
  clientId: string;
  tokenHash: Uint8Array;
  at: Date;
}

/** Stores a token. Call it with the application locked. */
export async function create(tx: Db, token: NewStaticToken): Promise<void> {
  await tx.query(sql`
    insert into static_tokens (id, realm_id, client_id, token_hash, name, networks, created_at, created_by, expires_at)
    values (${token.id}, ${token.realmId}, ${token.clientId}, ${token.tokenHash}, ${token.name},
            ${token.networks}::text[]::inet[], ${token.at}, ${token.createdBy}, ${token.expiresAt})
  `);
}

/** Lists an application's tokens, the oldest first, including ended tokens. */
export const list = (db: Db, { realmId, clientId }: { realmId: string; clientId: string }): Promise<StaticToken[]> =>
  db.query<StaticToken>(sql`
    select id, name, networks, created_at as "createdAt", created_by as "createdBy", expires_at as "expiresAt",
           last_used_at as "lastUsedAt"
      from static_tokens
     where realm_id = ${realmId}
       and client_id = ${clientId}
     order by created_at, id
  `);

/** Lists a realm's tokens that end before an instant and have not ended yet, earliest end first. */
export const listEnding = (
  db: Db,
  { realmId, before, at }: { realmId: string; before: Date; at: Date },
): Promise<{ application: string; expiresAt: Date }[]> =>
  db.query<{ application: string; expiresAt: Date }>(sql`
    select a.name as application, t.expires_at as "expiresAt"
      from static_tokens t
      join applications a on a.client_id = t.client_id
     where t.realm_id = ${realmId}
       and t.expires_at > ${at}
       and t.expires_at < ${before}
       and a.active
     order by t.expires_at
  `);

/** Removes an application's ended tokens, which can no longer be used. */
export async function removeEnded(tx: Db, { clientId, at }: { clientId: string; at: Date }): Promise<void> {
  await tx.query(sql`delete from static_tokens where client_id = ${clientId} and expires_at <= ${at}`);
}

/** Removes a token; returns false if the realm's application has no token with this id. */
export async function remove(
  tx: Db,
  { realmId, clientId, id }: { realmId: string; clientId: string; id: string },
): Promise<boolean> {
  const removed = await tx.query(sql`
    delete from static_tokens
     where realm_id = ${realmId}
       and client_id = ${clientId}
       and id = ${id}
    returning id
  `);
  return removed.length > 0;
}

/** The application that a static token stands for. */
interface StaticHolder extends Pick<StaticToken, "id" | "networks" | "expiresAt" | "lastUsedAt"> {
  realmId: string;
  clientId: string;
}

/**
 * Returns the holder of a static token; `suspended` if its application is switched off or lacks the scope `scim`;
 * undefined if the token does not exist or has ended.
 */
export async function findHolder(
  db: Db,
  { tokenHash, at }: { tokenHash: Uint8Array; at: Date },
): Promise<StaticHolder | "suspended" | undefined> {
  const found = first(
    await db.query<StaticHolder & { valid: boolean }>(lookup`
      select t.id, t.realm_id as "realmId", t.client_id as "clientId", t.networks, t.expires_at as "expiresAt",
             t.last_used_at as "lastUsedAt", a.active and 'scim' = any(a.scopes) as valid
        from static_tokens t
        join applications a on a.client_id = t.client_id
       where t.token_hash = ${tokenHash}
         and (t.expires_at is null or t.expires_at > ${at})
    `),
  );
  if (found === undefined) return undefined;
  const { valid, ...holder } = found;
  return valid ? holder : "suspended";
}

/** Records that a token and its application were used. */
export async function markUsed(
  db: Db,
  { id, clientId, at }: { id: string; clientId: string; at: Date },
): Promise<void> {
  await db.query(sql`
    with used as (update static_tokens set last_used_at = ${at} where id = ${id})
    update applications set last_used_at = ${at} where client_id = ${clientId}
  `);
}
