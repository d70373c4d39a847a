import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A sign-in that is at the identity provider now. */
export interface UpstreamAttempt {
  realmId: string;
  /** What only this service may read of it. */
  sealed: Buffer;
  expiresAt: Date;
}

/** What an attempt is sealed under the master key for: this table, this row. */
export const attemptContext = (tokenHash: Uint8Array): string =>
  `upstream_attempts/${Buffer.from(tokenHash).toString("hex")}`;

/** Remembers an attempt by the SHA-256 of its browser's cookie. */
export async function create(
  db: Db,
  attempt: { tokenHash: Uint8Array; realmId: string; sealed: Uint8Array; expiresAt: Date },
): Promise<void> {
  await db.query(sql`
    insert into upstream_attempts (token_hash, realm_id, sealed, expires_at)
    values (${attempt.tokenHash}, ${attempt.realmId}, ${attempt.sealed}, ${attempt.expiresAt})
  `);
}

/** An attempt that was not used yet, ended or not. */
export async function find(db: Db, { tokenHash }: { tokenHash: Uint8Array }): Promise<UpstreamAttempt | undefined> {
  return first(
    await db.query<UpstreamAttempt>(sql`
      select realm_id as "realmId", sealed, expires_at as "expiresAt"
        from upstream_attempts
       where token_hash = ${tokenHash}
    `),
  );
}

/** Uses an attempt up: true once, and never after its end. */
export async function consume(db: Db, { tokenHash, at }: { tokenHash: Uint8Array; at: Date }): Promise<boolean> {
  const rows = await db.query(sql`
    delete from upstream_attempts
     where token_hash = ${tokenHash}
       and expires_at > ${at}
    returning token_hash
  `);
  return rows.length > 0;
}
