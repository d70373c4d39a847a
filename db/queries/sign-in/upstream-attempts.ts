import type { Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** Returns whether an attempt was used. Looks the attempt up by the SHA-256 of its `state`. */
export async function isUsed(db: Db, { tokenHash }: { tokenHash: Uint8Array }): Promise<boolean> {
  const rows = await db.query(sql`select 1 as one from upstream_attempts where token_hash = ${tokenHash}`);
  return rows.length > 0;
}

/** Marks an attempt as used. Returns false if the attempt was used before. */
export async function use(
  db: Db,
  { tokenHash, realmId, expiresAt }: { tokenHash: Uint8Array; realmId: string; expiresAt: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into upstream_attempts (token_hash, realm_id, expires_at)
    values (${tokenHash}, ${realmId}, ${expiresAt})
    on conflict do nothing
    returning 1 as one
  `);
  return rows.length > 0;
}
