import type { Db } from "../client.ts";
import { revocationReasons } from "../../domain/certificate/revocation.ts";
import * as authorizations from "../queries/issuance/app-authorizations.ts";
import * as issuances from "../queries/issuance/issuances.ts";
import * as revocations from "./revocations.ts";

/**
 * Ends a person's earlier authorizations of a device whose file was never sent: the issuance fails, or the profile is
 * revoked with an audit entry that names no actor. A device that is tried twice thus has only one profile. Call in a
 * transaction, with the owner locked.
 */
export async function endUnsent(
  tx: Db,
  { realmId, userId, deviceHash, at }: { realmId: string; userId: string; deviceHash: Uint8Array; at: Date },
): Promise<void> {
  for (const { issuanceId, state, serialNumber } of await authorizations.endUnsent(tx, { userId, deviceHash, at })) {
    if (issuanceId !== null && (state === "queued" || state === "signing")) {
      await issuances.failUnsettledById(tx, { realmId, id: issuanceId, errorCode: "issuance_failed", at });
    }
    if (serialNumber !== null) {
      await revocations.revoke(tx, {
        realmId,
        serialNumber,
        kind: "user",
        reason: revocationReasons.superseded,
        actor: { userId: null, clientId: null },
        at,
      });
    }
  }
}
