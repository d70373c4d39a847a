import { isContention } from "../../db/contention.ts";
import { DatabaseUnavailable } from "../../db/outage.ts";
import type { Log } from "../../runtime/log.ts";

/**
 * Returns whether the error means that nothing was done and a retry helps: the database is unreachable, or aborted this
 * transaction because of another transaction. Logs such an error.
 */
export function isPassing(thrown: unknown, log: () => Log): boolean {
  if (thrown instanceof DatabaseUnavailable) {
    log().warn({ event: "database.unavailable", err: thrown.cause }, "the database is away");
    return true;
  }
  if (isContention(thrown)) {
    log().warn(
      { event: "database.contention", err: thrown },
      "the database aborted this transaction in favour of another",
    );
    return true;
  }
  return false;
}
