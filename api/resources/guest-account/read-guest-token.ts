import type { Db } from "../../../db/client.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import type { Actor } from "../../../domain/audit/audit.ts";
import type { Fail } from "../../contract/endpoint.ts";
import { hasEnded } from "../../../domain/people/guest-account.ts";
import { openUnderMasterKey, type MasterKeys } from "../../../runtime/keys/master-key.ts";

/** The errors of {@link readGuestToken}. */
export const guestTokenErrors = ["guest_account_not_found", "guest_account_ended", "output_erased"] as const;

/** Opens the token of a guest account and records an audit entry. Call in a transaction. */
export async function readGuestToken(
  tx: Db,
  {
    realmId,
    guestAccountId,
    masterKeys,
    actor,
    at,
    fail,
  }: {
    realmId: string;
    guestAccountId: string;
    masterKeys: MasterKeys;
    actor: Actor;
    at: Date;
    fail: Fail<(typeof guestTokenErrors)[number]>;
  },
): Promise<{ token: string; tokenHash: Buffer }> {
  const account = await guestAccounts.findWithToken(tx, { realmId, guestAccountId });
  if (account === undefined) throw fail("guest_account_not_found");
  if (hasEnded(account, at)) throw fail("guest_account_ended");
  const { tokenSealed, tokenHash } = account;
  if (tokenSealed === null) {
    throw fail("output_erased", {
      description: "The token works, and cannot be shown any more: the key that it was sealed under is lost.",
    });
  }
  const token = openUnderMasterKey(masterKeys, tokenSealed, guestAccounts.tokenContext(tokenHash)).toString("utf8");
  await audit.record(tx, {
    realmId,
    event: "guest_token_read",
    actor,
    at,
    properties: { guestAccountID: guestAccountId },
  });
  return { token, tokenHash };
}
