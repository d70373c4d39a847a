import { only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";
import { idempotencyKeyHours } from "../../../domain/lifetimes.ts";

export interface IdempotencyKey {
  /** The owner of the key: two clients may use the same key. */
  scope: string;
  key: string;
  /** SHA-256 of method, path with query, and body. */
  fingerprint: Uint8Array;
}

/**
 * Takes the key for this transaction; waits while another transaction holds it. `taken` is true if the key was not used
 * in the last 24 hours; else `result` is the earlier result, and `same` is whether the request was the same.
 */
export async function take(
  tx: Db,
  { scope, key, fingerprint, at }: IdempotencyKey & { at: Date },
): Promise<{ taken: true } | { taken: false; same: boolean; result: unknown }> {
  const taken = await tx.query(sql`
    insert into idempotency_keys as known (scope, key, fingerprint, created_at)
    values (${scope}, ${key}, ${fingerprint}, ${at})
    on conflict (scope, key) do update
       set fingerprint = excluded.fingerprint, result = null, created_at = excluded.created_at
     where known.created_at < excluded.created_at - make_interval(hours => ${idempotencyKeyHours})
    returning 1 as one
  `);
  if (taken.length > 0) return { taken: true };

  const { same, result } = only(
    await tx.query<{ same: boolean; result: unknown }>(sql`
      select fingerprint = ${fingerprint} as same, result
        from idempotency_keys
       where scope = ${scope}
         and key = ${key}
    `),
  );
  return { taken: false, same, result };
}

/** Records the result of the request, in the same transaction. */
export async function complete(
  tx: Db,
  { scope, key, result }: Pick<IdempotencyKey, "scope" | "key"> & { result: unknown },
): Promise<void> {
  await tx.query(sql`
    update idempotency_keys
       set result = ${JSON.stringify(result ?? null)}::jsonb
     where scope = ${scope}
       and key = ${key}
  `);
}
