import { z } from "zod";
import * as issuances from "../../db/queries/issuances.ts";
import { IssuanceID } from "../../domain/ids.ts";
import type { ProfileKind } from "../../domain/profile.ts";
import { endpoint } from "../endpoint.ts";
import type { Principal } from "../principal.ts";
import { accepted, answered } from "../reply.ts";
import { CreatedGuestProfileView, createdGuestProfileView } from "../views/guest-profile-view.ts";
import {
  CreatedInfrastructureProfileView,
  createdInfrastructureProfileView,
} from "../views/infrastructure-profile-view.ts";
import { issuanceView, issuanceViewOf } from "../views/issuance-view.ts";
import { CreatedProfileView, createdProfileView } from "../views/profile-view.ts";
import { waitingTime } from "../prefer.ts";
import { whereToAsk } from "./finish-issuance.ts";

const IssuanceView = issuanceViewOf(
  z.union([CreatedProfileView, CreatedGuestProfileView, CreatedInfrastructureProfileView]),
);

/** A created profile of each kind as its creation would have answered it. */
const createdView = {
  user: createdProfileView,
  guest: createdGuestProfileView,
  infrastructure: createdInfrastructureProfileView,
} as const satisfies Record<ProfileKind, unknown>;

export const getIssuance = endpoint({
  operation: "getIssuance",
  summary: "How the creation of a profile stands",
  description:
    "For whoever created it. 202 until it is settled; with `Prefer: wait=N` the answer waits for that. Once collected, the output can be had again for 10 minutes.",
  method: "get",
  path: "/api/issuances/:id",
  access: "any",
  params: z.object({ id: IssuanceID }),
  data: IssuanceView,
  pending: IssuanceView,
  secret: true,
  errors: ["issuance_not_found", "output_erased"],
  unknown: { id: "issuance_not_found" },

  async handle({ params: { id }, principal, prefer, deps, signal, fail }) {
    const { db, settlements, collectIssuance } = deps;
    const { seconds, headers } = waitingTime({ ...prefer, respondAsync: false }, 0);
    const watch = settlements.watch(id);
    try {
      const found = await issuances.findState(db, id);
      if (found === undefined || !isCreator(principal, found)) throw fail("issuance_not_found");
      const unsettled = found.state === "queued" || found.state === "signing";
      if (unsettled && seconds > 0) await watch.settled(seconds * 1000, signal());
    } finally {
      watch.end();
    }

    const collected = await collectIssuance(id);
    if (collected === undefined) throw fail("issuance_not_found");
    const { issuance, output } = collected;
    if (output === "erased") throw fail("output_erased");
    const view = issuanceView(issuance, createdView[issuance.kind](collected) ?? null);
    const settled = issuance.state === "issued" || issuance.state === "failed";
    return settled ? answered(view, headers) : accepted(view, { ...whereToAsk(id), headers });
  },
});

/** The same user, the same client when it acted on its own, or whoever holds the guest account's token. */
function isCreator(
  principal: Principal,
  { realmId, createdByUserId, createdByClientId, guestAccountId }: issuances.IssuanceStanding,
): boolean {
  if (principal.realmId !== realmId) return false;
  switch (principal.kind) {
    case "user":
      return createdByUserId === principal.userId;
    case "service":
      return createdByUserId === null && createdByClientId === principal.clientId;
    case "guest":
      return createdByUserId === null && createdByClientId === null && guestAccountId === principal.guestAccountId;
  }
}
