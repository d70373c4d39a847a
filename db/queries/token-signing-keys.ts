import type { Db } from "../client.ts";
import { sql } from "../sql.ts";

export interface TokenSigningKeyRow {
  kid: string;
  algorithm: "ES256" | "RS256";
  publicJwk: Record<string, unknown>;
  /** The private JWK, sealed under the master key. */
  sealedKey: Buffer;
  state: "next" | "current" | "retired";
}

const columns = sql`kid, algorithm, public_jwk as "publicJwk", sealed_key as "sealedKey", state`;

export const list = (db: Db): Promise<TokenSigningKeyRow[]> =>
  db.query<TokenSigningKeyRow>(sql`select ${columns} from token_signing_keys order by created_at desc`);

/** Adds the current key of its algorithm unless there is one: of several processes that start at once, one wins. */
export async function addCurrent(
  db: Db,
  key: Omit<TokenSigningKeyRow, "state" | "sealedKey"> & { sealedKey: Uint8Array; at: Date },
): Promise<void> {
  await db.query(sql`
    insert into token_signing_keys (kid, algorithm, public_jwk, sealed_key, state, created_at)
    values (${key.kid}, ${key.algorithm}, ${JSON.stringify(key.publicJwk)}::jsonb, ${key.sealedKey}, 'current', ${key.at})
    on conflict do nothing
  `);
}
