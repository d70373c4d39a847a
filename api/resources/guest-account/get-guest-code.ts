import { z } from "zod";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { GuestAccountID } from "../../../domain/ids.ts";
import { guestCodeOf, hashOfGuestCode } from "../../../runtime/keys/guest-code.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { guestTokenErrors, readGuestToken } from "./read-guest-token.ts";

export const getGuestCode = endpoint({
  operation: "getGuestCode",
  summary: "The code of a guest account, to read out or to type",
  description:
    "Typed at `{auth_url}/code` it leads to the same as the token: anyone who has it can create profiles under the " +
    "account. It is always the same, and the audit log records each reading, as `guest_token_read`.",
  method: "get",
  path: "/api/guest-accounts/:guestAccountId/code",
  access: "staff",
  scope: "guest.read",
  params: z.object({ guestAccountId: GuestAccountID }),
  data: z.string().meta({ example: "7K3Q-X9PT-D4MN" }),
  secret: true,
  errors: guestTokenErrors,
  unknown: { guestAccountId: "guest_account_not_found" },

  handle({ params: { guestAccountId }, principal, deps: { db, clock, masterKeys }, fail }) {
    const { realmId } = principal;
    const reading = { realmId, guestAccountId, masterKeys, actor: actorOf(principal), at: clock.now(), fail };
    return db.transaction(async (tx) => {
      const { token, tokenHash } = await readGuestToken(tx, reading);
      const code = guestCodeOf(token);
      await guestAccounts.noteCode(tx, { tokenHash, codeHash: hashOfGuestCode(masterKeys, code) });
      return code;
    });
  },
});
