import type { Db } from "../../../db/client.ts";
import { createFreshByKey, type FreshByKey } from "../../../runtime/fresh.ts";

/** Returns the count of a key, made now or at most `keptSeconds` ago; requests during a count share its result. */
export type KeptCounts<Value> = (db: Db, key: string, count: () => Promise<Value>) => Promise<Value>;

/**
 * Keeps counts, so each process counts rarely, no matter how many people ask. A caller still gets a count older than
 * `renewedAfterSeconds` while the next count runs.
 */
export function keptCounts<Value>({
  keptSeconds,
  renewedAfterSeconds = keptSeconds,
}: {
  keptSeconds: number;
  renewedAfterSeconds?: number;
}): KeptCounts<Value> {
  const ages = { keptMs: keptSeconds * 1_000, renewedAfterMs: renewedAfterSeconds * 1_000 };
  const known = new WeakMap<Db, FreshByKey<Value>>();
  return (db, key, count) => {
    const counted = known.get(db) ?? createFreshByKey<Value>(ages);
    known.set(db, counted);
    return counted.get(key, count);
  };
}
