import { z } from "zod";
import { GuestAccountID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { guestTokenErrors, readGuestToken } from "./read-guest-token.ts";

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
  errors: guestTokenErrors,
  unknown: { guestAccountId: "guest_account_not_found" },

  async handle({ params: { guestAccountId }, principal, deps: { db, clock, masterKeys }, fail }) {
    const { realmId } = principal;
    const reading = { realmId, guestAccountId, masterKeys, actor: actorOf(principal), at: clock.now(), fail };
    return (await db.transaction((tx) => readGuestToken(tx, reading))).token;
  },
});
