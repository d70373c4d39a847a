import type { Database, Db } from "../../db/client.ts";
import * as upkeep from "../../db/queries/upkeep/upkeep.ts";

/**
 * Runs work in a transaction that only one worker at a time runs, and that waits only briefly for the locks of other
 * transactions. Does nothing and returns undefined if another worker holds the advisory lock.
 */
export const underLock = <Result>(
  db: Database,
  lock: number,
  work: (tx: Db) => Promise<Result>,
): Promise<Result | undefined> =>
  db.transaction(async (tx) => {
    if (!(await upkeep.tryLock(tx, lock))) return undefined;
    await upkeep.setShortLockTimeout(tx);
    return work(tx);
  });
