import type { Database } from "../../../db/client.ts";
import * as acceptance from "../../../db/operations/acceptance.ts";
import type { ProfileRequest } from "../../../db/operations/acceptance.ts";
import { DatabaseUnavailable } from "../../../db/outage.ts";
import { createBatcher } from "../../../runtime/queue/batch.ts";
import type { Log } from "../../../runtime/log.ts";
import type { AcceptProfile, Deps } from "../../contract/deps.ts";
import { acceptProfile } from "./accept-profile.ts";

/** Few enough that nobody waits long for what the others of a batch cost. */
const batchMax = 64;

/**
 * Requests are accepted together: all that come in one turn of the event loop, or while two batches are under way, share
 * one transaction. What cannot be accepted so is accepted alone: then only the request that the database does not take
 * fails, and only those of an owner whose row somebody holds wait for it.
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
    return db.transaction((tx) => acceptProfile(tx, wanted));
  };
}
