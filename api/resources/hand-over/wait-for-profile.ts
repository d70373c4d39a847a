import * as handOvers from "../../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import type { Deps } from "../../contract/deps.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { stateOf } from "./hand-over-state.ts";

/**
 * If a worker is preparing the profile of a hand-over, waits up to `waitMs` milliseconds for the profile; then returns
 * the hand-over.
 */
export async function waitForProfile(
  deps: Pick<Deps, "db" | "clock" | "settlements">,
  { id }: Pick<HandOver, "id">,
  { context, waitMs }: { context: RequestContext; waitMs: number },
): Promise<HandOver | undefined> {
  const used = await handOvers.find(deps.db, { id });
  if (used === undefined || used.issuanceId === null || stateOf(used, deps.clock.now()) !== "preparing") return used;
  context.about = { issuanceId: used.issuanceId };
  const watch = deps.settlements.watch(used.issuanceId);
  watch.checkNow();
  await watch.settled(waitMs, context.signal());
  return handOvers.find(deps.db, { id });
}
