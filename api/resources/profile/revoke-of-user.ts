import type { Db } from "../../../db/client.ts";
import * as revocations from "../../../db/operations/revocations.ts";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import type { RevocationReason } from "../../../domain/certificate/revocation.ts";
import { actorOf, type UserPrincipal } from "../../contract/principal.ts";

/** Revokes one of the principal's own profiles. Call in a transaction. */
export async function revokeOfUser(
  tx: Db,
  {
    principal,
    serialNumber,
    reason,
    at,
  }: { principal: UserPrincipal; serialNumber: string; reason: RevocationReason; at: Date },
): Promise<revocations.RevocationOutcome> {
  const { realmId, userId } = principal;
  const found = await certificates.findOfUser(tx, { realmId, userId, serialNumber });
  if (found === undefined) return "not_found";
  return revocations.revoke(tx, { realmId, serialNumber, kind: "user", reason, actor: actorOf(principal), at });
}
