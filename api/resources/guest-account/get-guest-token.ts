import { z } from "zod";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { hasEnded } from "../../../domain/people/guest-account.ts";
import { GuestAccountID } from "../../../domain/ids.ts";
import { openUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";

export const getGuestToken = endpoint({
  operation: "getGuestToken",
  summary: "The token of a guest account",
  description:
    "Anyone who holds it can create profiles under the account. It is always the same, and the audit log records each reading.",
  method: "get",
  path: "/api/guest-token/:guestAccountId",
  host: "auth",
  access: "staff",
  scope: "guest.read",
  params: z.object({ guestAccountId: GuestAccountID }),
  data: z.string(),
  secret: true,
  errors: ["guest_account_not_found", "guest_account_ended", "output_erased"],
  unknown: { guestAccountId: "guest_account_not_found" },

  handle({ params: { guestAccountId }, principal, deps: { db, clock, masterKeys }, fail }) {
    const { realmId } = principal;
    const at = clock.now();
    return db.transaction(async (tx) => {
      const account = await guestAccounts.findWithToken(tx, { realmId, guestAccountId });
      if (account === undefined) throw fail("guest_account_not_found");
      if (hasEnded(account, at)) throw fail("guest_account_ended");
      const { tokenSealed, tokenHash } = account;
      if (tokenSealed === null) {
        throw fail("output_erased", {
          description: "The token works, and cannot be shown any more: the key that it was sealed under is lost.",
        });
      }
      const token = openUnderMasterKey(masterKeys, tokenSealed, guestAccounts.tokenContext(tokenHash));
      await audit.record(tx, {
        realmId,
        event: "guest_token_read",
        actor: actorOf(principal),
        at,
        properties: { guestAccountID: guestAccountId },
      });
      return token.toString("utf8");
    });
  },
});
