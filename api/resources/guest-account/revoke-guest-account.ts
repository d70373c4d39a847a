import { z } from "zod";
import * as guestAccountOperations from "../../../db/operations/guest-accounts.ts";
import { GuestAccountID } from "../../../domain/ids.ts";
import { revocationReasons } from "../../../domain/revocation.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { revocationWith } from "../profile/revocation.ts";

export const revokeGuestAccount = endpoint({
  operation: "revokeGuestAccount",
  summary: "Revoke a guest account",
  description:
    "Cannot be undone: its tokens end at once, what is being made for it fails, and all its profiles are revoked with it.",
  method: "delete",
  path: "/api/guest-accounts/:guestAccountId",
  access: "staff",
  scope: "guest.delete",
  params: z.object({ guestAccountId: GuestAccountID }),
  body: revocationWith(revocationReasons.cessationOfOperation),
  data: Done,
  errors: ["guest_account_not_found"],
  unknown: { guestAccountId: "guest_account_not_found" },
  changes: true,

  handle({ params: { guestAccountId }, body: { reason }, principal, deps: { clock }, change, fail }) {
    const { realmId } = principal;
    return change(async (tx) => {
      const revocation = { realmId, guestAccountId, reason, actor: actorOf(principal), at: clock.now() };
      if ((await guestAccountOperations.revoke(tx, revocation)) === "not_found") throw fail("guest_account_not_found");
      return done;
    });
  },
});
