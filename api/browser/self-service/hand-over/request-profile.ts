import * as handOvers from "../../../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import type { IssuanceID } from "../../../../domain/ids.ts";
import { drawIssuanceId } from "../../../../runtime/draw-ids.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { acceptHandOver, type Objection } from "../../../resources/hand-over/accept-hand-over.ts";
import { contextOf } from "../../../http/request-context.ts";
import { verifyFormToken } from "../../../pages/form-token.ts";
import { sendProblem } from "../../../pages/problem.tsx";
import { redirect } from "../../../pages/redirect.ts";
import { formatFor } from "../../../resources/hand-over/formats.ts";
import { pathsOf } from "../hand-over-paths.ts";
import { stateOf } from "../../../resources/hand-over/hand-over-state.ts";
import { waitForProfile } from "../../../resources/hand-over/wait-for-profile.ts";
import { isRecipient } from "./recipient.ts";
import { showClaimed } from "./show-claimed.ts";
import type { Viewer } from "../viewer.ts";

/**
 * `POST …/file`, the Download button: requests the claimed profile unless there is an objection now, and redirects to
 * the file once it is ready, or back to the page if that takes a while. A repeated request does not create a second
 * profile.
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
  const used = await waitForProfile(deps, handOver, { context: contextOf(page.response), waitMs });
  redirect(page, used !== undefined && stateOf(used, clock.now()) === "ready" ? paths.file : paths.page);
}

/** The new issuance, the objection, or `used` if there already is an issuance or the hand-over has expired. */
type Outcome = { issuanceId: IssuanceID } | { objection: Objection } | "used";

/** Thrown to roll back the transaction after a refusal. */
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
      const format = formatFor(handOver.deviceType, handOver.format);
      const objection = await acceptHandOver(tx, handOver, { id: issuanceId, format, clientId: null, at, requestId });
      if (objection !== undefined) throw new Refused(objection);
      return { issuanceId };
    });
  } catch (error) {
    if (error instanceof Refused) return { objection: error.objection };
    throw error;
  }
}

/** How long Download waits before its page shows that the profile is being prepared. */
const waitMs = 3_000;
