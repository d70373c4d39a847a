import * as revocations from "../../../db/operations/revocations.ts";
import type { ProfileKind } from "../../../domain/profile.ts";
import type { RevocationReason } from "../../../domain/revocation.ts";
import { ServiceError } from "../../../domain/errors.ts";
import { done, type IncomingCall } from "../../contract/endpoint.ts";
import { actorOf, type Principal } from "../../contract/principal.ts";

type RevocationCall = Pick<IncomingCall, "deps" | "change"> & {
  principal: Principal;
  body: { reason: RevocationReason };
};

/** Revokes one profile of a kind in the realm, whatever its owner. Throws `profile_not_found`; repeating it succeeds. */
export function revokeOfRealm(
  { principal, body: { reason }, deps: { clock }, change }: RevocationCall,
  { serialNumber, kind }: { serialNumber: string; kind: ProfileKind },
): Promise<typeof done> {
  return change(async (tx) => {
    const revocation = { realmId: principal.realmId, serialNumber, kind, reason };
    const found = await revocations.revoke(tx, { ...revocation, actor: actorOf(principal), at: clock.now() });
    if (!found) throw new ServiceError("profile_not_found");
    return done;
  });
}
