import type { Database } from "../../../db/client.ts";
import * as acceptance from "../../../db/operations/acceptance.ts";
import type { ProfileRequest } from "../../../db/operations/acceptance.ts";
import { DatabaseUnavailable } from "../../../db/outage.ts";
import { createBatcher } from "../../../runtime/queue/batch.ts";
import type { Log } from "../../../runtime/log.ts";
import type { AcceptProfile, Deps } from "../../contract/deps.ts";
import * as profiles from "../../../db/operations/accept-profile.ts";

/** Few enough that no request waits long for the rest of its batch. */
const batchMax = 64;

/**
 * Accepts requests together: requests that arrive in one turn of the event loop, or while two batches are running,
 * share one transaction. If a batch fails while the database is available, each of its requests is accepted alone: only
 * a request that the database rejects fails, and only requests whose owner's row is locked wait for the lock.
 */
export function createAcceptance({
  db,
  log,
  metrics,
}: {
  db: Database;
  log: Pick<Log, "debug">;
  metrics: Pick<Deps["metrics"], "batch">;
}): AcceptProfile {
  const accept = createBatcher(
    async (wanted: readonly ProfileRequest[]) => {
      try {
        return await acceptance.acceptTogether(db, wanted);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error;
        log.debug(
          { event: "profiles.not_accepted_together", err: error, count: wanted.length },
          "accepting one by one",
        );
        return wanted.map(() => "not together" as const);
      }
    },
    { itemsMax: batchMax, inFlightMax: 2, waitMsMax: 0, onBatch: metrics.batch("accept") },
  );

  return async (wanted) => {
    const outcome = await accept(wanted);
    if (outcome !== "not together") return outcome ?? undefined;
    return db.transaction((tx) => profiles.acceptProfile(tx, wanted));
  };
}
