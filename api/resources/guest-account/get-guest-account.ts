import { z } from "zod";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { GuestAccountID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { GuestAccountView, guestAccountView } from "../../contract/views/guest-account-view.ts";

export const getGuestAccount = endpoint({
  operation: "getGuestAccount",
  summary: "One guest account",
  method: "get",
  path: "/api/guest-accounts/:guestAccountId",
  access: "staff",
  scope: "guest.view",
  params: z.object({ guestAccountId: GuestAccountID }),
  data: GuestAccountView,
  errors: ["guest_account_not_found"],
  unknown: { guestAccountId: "guest_account_not_found" },

  async handle({ params: { guestAccountId }, principal: { realmId }, deps: { db, clock }, fail }) {
    const found = await guestAccounts.find(db, { realmId, guestAccountId, at: clock.now() });
    if (found === undefined) throw fail("guest_account_not_found");
    return guestAccountView(found);
  },
});
