import * as auditEntries from "../../../db/queries/audit/audit-entries.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { operatorActor } from "../../../domain/audit/audit.ts";
import { sealUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import { option } from "../../../terminal/command.ts";
import { command } from "../command.ts";
import { GuestAccountName } from "../../../domain/people/guest-account.ts";
import { wholeNumber } from "../../../terminal/inputs.ts";
import { Instant } from "../inputs.ts";
import { usageError } from "../../../terminal/failure.ts";
import { drawSecretToken } from "../../../runtime/keys/secret-token.ts";
import { guestAccountView, lines } from "../views.ts";

export const guestAccountCreate = command({
  name: "guest-account create",
  about: "Creates a time-limited account for guests. Administrators read its token through the API.",
  options: {
    name: option("name", "the name that guests and administrators see", GuestAccountName),
    expires: option("instant", "when it ends, ISO 8601", Instant),
    profileLimit: option(
      "count",
      "profiles it may have at most; default: unlimited",
      wholeNumber(0, 100_000).optional(),
    ),
  },
  async run({ name, expires, profileLimit = null }, context) {
    const at = context.clock.now();
    if (expires <= at) throw usageError(`--expires ${expires.toISOString()} is in the past.`);
    const { id: realmId } = await context.realm();
    const db = await context.db();

    const { token, hash: tokenHash } = drawSecretToken("guestToken");
    const tokenSealed = sealUnderMasterKey(
      await context.masterKeys(),
      Buffer.from(token),
      guestAccounts.tokenContext(tokenHash),
    );
    const account = await db.transaction(async (tx) => {
      const created = await guestAccounts.create(tx, {
        realmId,
        name,
        note: null,
        profileLimit,
        tokenHash,
        tokenSealed,
        at,
        expiresAt: expires,
      });
      await auditEntries.record(tx, {
        realmId,
        event: "guest_account_create",
        actor: operatorActor,
        at,
        properties: { guestAccountID: created.id, name, expirationDate: expires, profileLimit },
      });
      return created;
    });
    return { json: guestAccountView(account), text: lines(guestAccountView(account)) };
  },
});
