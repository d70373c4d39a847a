import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { sealUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import { drawSecretToken } from "../../../runtime/keys/secret-token.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { guestAccountView, GuestAccountView } from "../../contract/views/guest-account-view.ts";
import { GuestAccountCreation, requireAllowed, settingsByName } from "./guest-account-settings.ts";

export const createGuestAccount = endpoint({
  operation: "createGuestAccount",
  summary: "Create a guest account",
  description:
    "`getGuestToken` returns its token. Guest managers who do not administer the realm are bound by its `guestDaysMax` and `guestLimitMax`.",
  method: "post",
  path: "/api/guest-account",
  access: "staff",
  scope: "guest.create",
  body: GuestAccountCreation,
  data: GuestAccountView,
  errors: ["invalid_request"],
  changes: true,

  handle({ body, principal, deps: { clock, masterKeys }, change, fail }) {
    const { realmId } = principal;
    const at = clock.now();
    const { name, note = null, profileLimit = null, expirationDate: expiresAt } = body;

    return change(async (tx) => {
      await requireAllowed(tx, { expiresAt, profileLimit }, { principal, at, fail });
      const { token, hash: tokenHash } = drawSecretToken("guestToken");
      const context = guestAccounts.tokenContext(tokenHash);
      const tokenSealed = sealUnderMasterKey(masterKeys, Buffer.from(token), context);
      const settings = { name, note, profileLimit, expiresAt };
      const account = await guestAccounts.create(tx, { realmId, ...settings, tokenHash, tokenSealed, at });
      await audit.record(tx, {
        realmId,
        event: "guest_account_create",
        actor: actorOf(principal),
        at,
        properties: { guestAccountID: account.id, ...settingsByName(settings) },
      });
      return guestAccountView({ ...account, activeProfileCount: 0 });
    });
  },
});
