import type { Db } from "../db/client.ts";
import * as installation from "../db/queries/upkeep/installation.ts";
import { skewMs, skewMsMax, type Clock } from "../runtime/clock.ts";

/** The clocks of this process and the database differ too much to sign anything. */
export class ClockOutOfStep extends Error {
  override readonly name = "ClockOutOfStep";
}

export interface TimeDeps {
  clock: Clock;
  /** Reads the database's clock; a test that moves the worker's clock also moves the database's. */
  databaseTime?: (tx: Db) => Promise<Date>;
}

/**
 * Returns the time to sign with in a transaction, after comparing the clock with the database's in that transaction, so
 * nothing is signed with a clock that was set wrong a moment ago. Throws {@link ClockOutOfStep}.
 */
export async function timeInStep(tx: Db, { clock, databaseTime = installation.time }: TimeDeps): Promise<Date> {
  const at = clock.now();
  const skew = skewMs({ before: at, now: await databaseTime(tx), after: clock.now() });
  if (Math.abs(skew) > skewMsMax) throw new ClockOutOfStep(`the clock is ${skew} ms ahead of the database's`);
  return at;
}
