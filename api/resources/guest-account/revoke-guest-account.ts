import { z } from "zod";
import * as guestAccountOperations from "../../../db/operations/guest-accounts.ts";
import { GuestAccountID } from "../../../domain/ids.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { admitRemovals, confirmation, removalDescription, removalErrors } from "../profile/admit-removals.ts";
import { revocationOfOthersWith } from "../profile/revocation.ts";

export const revokeGuestAccount = endpoint({
  operation: "revokeGuestAccount",
  summary: "Revoke a guest account",
  description:
    "Cannot be undone: its tokens end at once, pending issuances for it fail, and all its profiles are revoked with " +
    "it. It counts as its number of active profiles, at least one. " +
    removalDescription,
  method: "delete",
  path: "/api/guest-accounts/:guestAccountId",
  access: "staff",
  scope: "guest.delete",
  params: z.object({ guestAccountId: GuestAccountID }),
  query: confirmation.query,
  body: revocationOfOthersWith(revocationReasons.cessationOfOperation),
  data: Done,
  errors: ["guest_account_not_found", ...removalErrors],
  unknown: { guestAccountId: "guest_account_not_found" },
  changes: true,

  handle(call) {
    const { params, body, principal, deps, change, fail } = call;
    const { guestAccountId } = params;
    const { realmId } = principal;
    return change(async (tx) => {
      const at = deps.clock.now();
      const revocation = { realmId, guestAccountId, reason: body.reason, actor: actorOf(principal), at };
      const revoked = await guestAccountOperations.revoke(tx, revocation);
      if (revoked.outcome === "not_found") throw fail("guest_account_not_found");
      const count = revoked.outcome === "revoked" ? Math.max(revoked.profiles, 1) : 0;
      await admitRemovals(tx, call, { count, of: "profiles", at });
      return done;
    });
  },
});
