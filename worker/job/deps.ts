import type { Database } from "../../db/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Queues } from "../../runtime/queues.ts";
import type { IssuanceOutcome } from "../issuance.ts";
import type { InTurn } from "../turns.ts";

/** What working bulk jobs takes. */
export interface JobDeps {
  db: Database;
  queues: Pick<Queues, "enqueueAll">;
  issueAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, IssuanceOutcome>>;
  /**
   * For slices of offboardings, which are all the database's work: more of them at once are hardly faster, and whoever
   * asks for a certificate's status meanwhile waits longer.
   */
  offboardInTurn: InTurn;
  /** How often each job has failed to go on in this process. */
  failures: Map<string, number>;
  clock: Clock;
  log: Log;
}
