import * as forgetting from "../../db/operations/forgetting.ts";
import { eachByItself } from "../../runtime/each-by-itself.ts";
import type { BulkJobDeps } from "../bulk-job/deps.ts";
import { underLock } from "./under-lock.ts";

/** How many people one transaction forgets. */
const sliceMax = 500;

/** Advisory lock: one worker at a time forgets. No other lock on this database has this number. */
export const forgetLock = 7_246_716;

/**
 * Forgets the people whose realms require it, each slice in its own transaction: interrupted work starts again and
 * finds the rest. A realm that fails does not delay other realms. Skips if another worker is forgetting.
 */
export async function forgetPeople(
  deps: Pick<BulkJobDeps, "db" | "clock" | "log">,
  { slice = sliceMax }: { slice?: number } = {},
): Promise<void> {
  await eachByItself(await forgetting.listRealms(deps.db), (realm) => forgetPeopleOf(deps, realm, slice));
}

async function forgetPeopleOf(
  { db, clock, log }: Pick<BulkJobDeps, "db" | "clock" | "log">,
  realm: forgetting.ForgettingRealm,
  slice: number,
): Promise<void> {
  let place: forgetting.Place | undefined;
  do {
    const after = place;
    const done = await underLock(db, forgetLock, (tx) =>
      forgetting.forgetSlice(tx, { realm, after, limit: slice, at: clock.now() }),
    );
    if (done === undefined) return;
    if (done.forgotten > 0) {
      log.info({ event: "upkeep.forgotten", realmId: realm.id, users: done.forgotten }, "offboarded users forgotten");
    }
    place = done.place;
  } while (place !== undefined);
}
