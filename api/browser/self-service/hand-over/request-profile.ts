import type { Db } from "../../../../db/client.ts";
import * as handOvers from "../../../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import type { IssuanceID } from "../../../../domain/ids.ts";
import { drawIssuanceId } from "../../../../runtime/draw-ids.ts";
import { acceptGuestProfile } from "../../../resources/guest-profile/accept-guest-profile.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { acceptProfile } from "../../../resources/profile/accept-profile.ts";
import { acceptRenewal } from "../../../resources/profile/accept-renewal.ts";
import { contextOf } from "../../../http/request-context.ts";
import { verifyFormToken } from "../../../pages/form-token.ts";
import { sendProblem } from "../../../pages/problem.tsx";
import { redirect } from "../../../pages/redirect.ts";
import { formatFor } from "../device/formats.ts";
import { pathsOf } from "../hand-over-paths.ts";
import { stateOf } from "../hand-over-state.ts";
import type { Objection } from "../owner.ts";
import { isRecipient } from "./recipient.ts";
import { showClaimed } from "./show-claimed.ts";
import type { Viewer } from "../viewer.ts";

/**
 * `POST …/file`, the Download button: requests the claimed profile unless there is an objection now, and redirects to
 * the file once it is ready; to the page, if that takes a while. Repeating it creates only one profile.
 */
export async function requestProfile(page: PageRequest, handOver: HandOver, viewer: Viewer): Promise<void> {
  const { deps, request, form } = page;
  const { clock } = deps;
  const paths = pathsOf(page, handOver, viewer);
  if (!isRecipient(page, handOver)) {
    sendProblem(page, "not_found");
    return;
  }
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: paths.page });
    return;
  }
  if (stateOf(handOver, clock.now()) === "claimed") {
    const outcome = await use(page, handOver);
    if (outcome !== "used" && "objection" in outcome) {
      await showClaimed(page, handOver, viewer, outcome.objection);
      return;
    }
    if (outcome !== "used") void deps.enqueueIssuance(outcome.issuanceId, { isNew: true });
  }
  const used = await waitForProfile(page, handOver);
  redirect(page, used !== undefined && stateOf(used, clock.now()) === "ready" ? paths.file : paths.page);
}

/** The new issuance, the objection, or that there is an issuance already. */
type Outcome = { issuanceId: IssuanceID } | { objection: Objection } | "used";

/** Rolls back the transaction that it is thrown in. */
class Refused extends Error {
  readonly objection: Objection;
  constructor(objection: Objection) {
    super("a hand-over was refused");
    this.objection = objection;
  }
}

/** Accepts the profile of a claimed hand-over, once. A refusal leaves the hand-over unchanged. */
async function use({ deps, response }: PageRequest, handOver: HandOver): Promise<Outcome> {
  const { id: requestId } = contextOf(response);
  const at = deps.clock.now();
  const issuanceId = drawIssuanceId();
  try {
    return await deps.db.transaction(async (tx) => {
      if (!(await handOvers.use(tx, { id: handOver.id, issuanceId, at }))) return "used";
      const objection = await accept(tx, handOver, { id: issuanceId, at, requestId });
      if (objection !== undefined) throw new Refused(objection);
      return { issuanceId };
    });
  } catch (error) {
    if (error instanceof Refused) return { objection: error.objection };
    throw error;
  }
}

function accept(
  tx: Db,
  handOver: HandOver,
  how: { id: string; at: Date; requestId: string },
): Promise<Objection | undefined> {
  const { realmId, userId, guestAccountId, name, deviceType, renewsSerialNumber } = handOver;
  const device = { ...how, deviceType, format: formatFor(deviceType, handOver.format) };
  if (userId === null) return acceptGuestProfile(tx, { realmId, guestAccountId, ...device });
  const wanted = { realmId, userId, name, allowAuth: false, actor: { userId, clientId: null }, ...device };
  return renewsSerialNumber === null
    ? acceptProfile(tx, wanted)
    : acceptRenewal(tx, { ...wanted, renews: renewsSerialNumber });
}

/** How long Download waits before its page shows that the profile is being prepared. */
const waitMs = 3_000;

/** Waits a moment for the profile of a hand-over, if one is being prepared, and returns the hand-over as it is then. */
async function waitForProfile({ deps, response }: PageRequest, { id }: HandOver): Promise<HandOver | undefined> {
  const used = await handOvers.find(deps.db, { id });
  if (used === undefined || used.issuanceId === null || stateOf(used, deps.clock.now()) !== "preparing") return used;
  const context = contextOf(response);
  context.about = { issuanceId: used.issuanceId };
  const watch = deps.settlements.watch(used.issuanceId);
  watch.checkNow();
  await watch.settled(waitMs, context.signal());
  return handOvers.find(deps.db, { id });
}
