import type { Actor } from "../../domain/audit/audit.ts";
import type { RevocationReason } from "../../domain/certificate/revocation.ts";
import type { Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as issuances from "../queries/issuance/issuances.ts";
import * as guestAccounts from "../queries/people/guest-accounts.ts";
import { sql } from "../sql.ts";
import * as revocations from "./revocations.ts";

/**
 * Revokes a guest account, with the audit entry: ends its tokens, fails its unsettled issuances, and revokes every
 * active profile permanently. Returns the number of revoked profiles; changes nothing if there is no such account or it
 * is already revoked. Call in a transaction.
 */
export async function revoke(
  tx: Db,
  {
    realmId,
    guestAccountId,
    reason,
    actor,
    at,
    replayed,
  }: {
    realmId: string;
    guestAccountId: string;
    reason: RevocationReason;
    actor: Actor;
    at: Date;
    /** Replays a revocation that a restore lost. */
    replayed?: true;
  },
): Promise<{ outcome: "revoked"; profiles: number } | { outcome: "already_revoked" | "not_found" }> {
  const found = await guestAccounts.lock(tx, { realmId, guestAccountId });
  if (found === undefined) return { outcome: "not_found" };
  if (found.revokedAt !== null) return { outcome: "already_revoked" };

  await tx.query(sql`
    update guest_accounts set revoked_at = ${at} where realm_id = ${realmId} and id = ${guestAccountId}
  `);
  await tx.query(sql`delete from access_tokens where guest_account_id = ${guestAccountId}`);
  await issuances.failUnsettledOfGuestAccount(tx, { guestAccountId, errorCode: "guest_account_ended", at });
  const serials = await revocations.revokeAllOfGuestAccount(tx, { realmId, guestAccountId, reason, at });
  await audit.record(tx, {
    realmId,
    event: "guest_account_revoke",
    actor,
    at,
    properties: {
      guestAccountID: guestAccountId,
      reason,
      profiles: serials.length,
      serials: serials.slice(0, revocations.serialsMax),
      ...(replayed && { replayed }),
    },
  });
  return { outcome: "revoked", profiles: serials.length };
}
