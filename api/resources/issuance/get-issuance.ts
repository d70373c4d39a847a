import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import { isUnsettled } from "../../../domain/certificate/entitlement.ts";
import { IssuanceID } from "../../../domain/ids.ts";
import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import { hasStaffScope } from "../../contract/access.ts";
import type { Deps } from "../../contract/deps.ts";
import { endpoint, type Fail } from "../../contract/endpoint.ts";
import { hasMade, type Principal } from "../../contract/principal.ts";
import { accepted, answered } from "../../contract/reply.ts";
import { CreatedGuestProfileView, createdGuestProfileView } from "../../contract/views/guest-profile-view.ts";
import {
  CreatedInfrastructureProfileView,
  createdInfrastructureProfileView,
} from "../../contract/views/infrastructure-profile-view.ts";
import { issuanceView, issuanceViewOf } from "../../contract/views/issuance-view.ts";
import { CreatedProfileView, createdProfileView } from "../../contract/views/profile-view.ts";
import { waitingTime } from "../../contract/prefer.ts";
import { statusLocation } from "./finish-issuance.ts";

const IssuanceView = issuanceViewOf(
  z.union([CreatedProfileView, CreatedGuestProfileView, CreatedInfrastructureProfileView]),
);

/** The view of a created profile for each kind, the same as in the response to the creation. */
const createdView = {
  user: createdProfileView,
  guest: createdGuestProfileView,
  infrastructure: createdInfrastructureProfileView,
} as const satisfies Record<ProfileKind, unknown>;

export const getIssuance = endpoint({
  operation: "getIssuance",
  summary: "The state of a profile's creation",
  description:
    "For the user or client that created it. 202 until it is settled; with `Prefer: wait=N` the answer waits for " +
    "that. Once collected, the output can be read again for 10 minutes. `profile` is null for a token of another " +
    "client or without the scope that creating the profile needs; such a reading does not collect the output.",
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
    let withOutput: boolean;
    try {
      const found = await issuances.findState(db, id);
      if (found === undefined || !isCreator(principal, found)) throw fail("issuance_not_found");
      withOutput = mayReadOutput(principal, found);
      if (isUnsettled(found.state) && seconds > 0) await watch.settled(seconds * 1000, signal());
    } finally {
      watch.end();
    }

    // A reading without output must not collect the output: that would start its erasure.
    const view = withOutput ? await viewWithOutput(id, { collectIssuance, fail }) : await viewWithoutOutput(id, db);
    if (view === undefined) throw fail("issuance_not_found");
    return isUnsettled(view.state) ? accepted(view, { ...statusLocation(id), headers }) : answered(view, headers);
  },
});

async function viewWithOutput(
  id: string,
  { collectIssuance, fail }: Pick<Deps, "collectIssuance"> & { fail: Fail<"output_erased"> },
) {
  const collected = await collectIssuance(id);
  if (collected?.output === "erased") throw fail("output_erased");
  return collected && issuanceView(collected.issuance, createdView[collected.issuance.kind](collected) ?? null);
}

async function viewWithoutOutput(id: string, db: Db) {
  const found = await issuances.findState(db, id);
  return found && issuanceView(found, null);
}

/**
 * Returns true if a creator's token may read the output. A guest's token may. Any other token must be of the client
 * that created the profile and have the scope for the creation; unless the profile is the user's own, the token needs
 * that scope as staff, as at the creation.
 */
function mayReadOutput(principal: Principal, issuance: issuances.IssuanceStanding): boolean {
  if (principal.kind === "guest") return true;
  const scope = issuance.kind === "infrastructure" ? "infrastructure.create" : "profile.create";
  if (!hasMade(principal, issuance)) return false;
  const isOwn = principal.kind === "user" && issuance.userId === principal.userId;
  return isOwn ? principal.scopes.has(scope) : hasStaffScope(principal, scope);
}

/**
 * Returns true if the principal created the issuance: the same user through any client, the same client acting for
 * itself, or a holder of the guest account's token.
 */
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
