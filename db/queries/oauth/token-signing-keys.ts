import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

export const tokenAlgorithms = ["ES256", "RS256"] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

export const tokenKeyStates = ["next", "current", "retired"] as const;

export interface TokenSigningKeyRow {
  kid: string;
  algorithm: TokenAlgorithm;
  publicJwk: Record<string, unknown>;
  /** The private JWK, sealed under the master key; null once retired. */
  sealedKey: Buffer | null;
  state: (typeof tokenKeyStates)[number];
  publishedAt: Date;
  activatedAt: Date | null;
  retiredAt: Date | null;
  /**
   * The latest expiry of a token that outlives the usual publication of a retired key; null: there is no such token.
   */
  tokensExpireAt: Date | null;
}

const columns = sql`
  kid, algorithm, public_jwk as "publicJwk", sealed_key as "sealedKey", state, published_at as "publishedAt",
  activated_at as "activatedAt", retired_at as "retiredAt", tokens_expire_at as "tokensExpireAt"`;

/** Returns the context in which the master key seals a key: this table, this row. */
export const keyContext = (kid: string): string => `token_signing_keys/${kid}`;

/** Returns the newest key whose private half is still stored. */
export const findNewestSealed = async (db: Db): Promise<{ kid: string; sealedKey: Buffer } | undefined> =>
  first(
    await db.query(sql`
      select kid, sealed_key as "sealedKey"
        from token_signing_keys
       where sealed_key is not null
       order by published_at desc, kid
       limit 1
    `),
  );

export const list = (db: Db): Promise<TokenSigningKeyRow[]> =>
  db.query<TokenSigningKeyRow>(sql`select ${columns} from token_signing_keys order by published_at desc, kid`);

/**
 * Adds a key unless its algorithm already has a key in the same state. Of several concurrent processes, only one
 * succeeds.
 */
export async function add(
  db: Db,
  key: Pick<TokenSigningKeyRow, "kid" | "algorithm" | "publicJwk"> & {
    sealedKey: Uint8Array;
    state: "next" | "current";
    at: Date;
  },
): Promise<void> {
  await db.query(sql`
    insert into token_signing_keys (kid, algorithm, public_jwk, sealed_key, state, created_at, published_at, activated_at)
    values (${key.kid}, ${key.algorithm}, ${JSON.stringify(key.publicJwk)}::jsonb, ${key.sealedKey}, ${key.state},
            ${key.at}, ${key.at}, ${key.state === "current" ? key.at : null})
    on conflict do nothing
  `);
}

/**
 * Replaces the current key with the next key, if the current key has been active since `activatedBefore` and the next
 * key published since `publishedBefore`. Erases the private half of the retired key. Call in a transaction.
 */
export async function rotate(
  tx: Db,
  due: { algorithm: TokenAlgorithm; activatedBefore: Date; publishedBefore: Date; at: Date },
): Promise<boolean> {
  const retired = await tx.query(sql`
    update token_signing_keys
       set state = 'retired', retired_at = ${due.at}, sealed_key = null
     where algorithm = ${due.algorithm}
       and state = 'current'
       and activated_at <= ${due.activatedBefore}
       and exists (select 1
                     from token_signing_keys following
                    where following.algorithm = ${due.algorithm}
                      and following.state = 'next'
                      and following.published_at <= ${due.publishedBefore})
    returning kid
  `);
  if (retired.length === 0) return false;
  await tx.query(sql`
    update token_signing_keys
       set state = 'current', activated_at = ${due.at}
     where algorithm = ${due.algorithm}
       and state = 'next'
  `);
  return true;
}

/** Records that a key signed a token that expires at `expiresAt`, so the key stays published until then. */
export async function keepUntil(db: Db, { kid, expiresAt }: { kid: string; expiresAt: Date }): Promise<void> {
  await db.query(sql`
    update token_signing_keys
       set tokens_expire_at = greatest(tokens_expire_at, ${expiresAt})
     where kid = ${kid}
       and (tokens_expire_at is null or tokens_expire_at < ${expiresAt})
  `);
}

/** Removes keys that retired before `retiredBefore` and signed no token that is still valid. */
export async function forget(db: Db, { retiredBefore, at }: { retiredBefore: Date; at: Date }): Promise<void> {
  await db.query(sql`
    delete from token_signing_keys
     where state = 'retired'
       and retired_at < ${retiredBefore}
       and (tokens_expire_at is null or tokens_expire_at < ${at})
  `);
}
