import { isContention } from "../../db/contention.ts";
import { DatabaseUnavailable } from "../../db/outage.ts";
import type { Log } from "../../runtime/log.ts";

/** Whether nothing was done and trying again helps, as the database is away or ended this for another transaction; logged. */
export function isPassing(thrown: unknown, log: () => Log): boolean {
  if (thrown instanceof DatabaseUnavailable) {
    log().warn({ event: "database.unavailable", err: thrown.cause }, "the database is away");
    return true;
  }
  if (isContention(thrown)) {
    log().warn({ event: "database.contention", err: thrown }, "the database ended this for another transaction");
    return true;
  }
  return false;
}
