import * as revocations from "../../../db/operations/revocations.ts";
import type { ProfileKind } from "../../../domain/profile.ts";
import type { RevocationReason } from "../../../domain/revocation.ts";
import { done, type Fail, type IncomingCall } from "../../contract/endpoint.ts";
import { actorOf, type Principal } from "../../contract/principal.ts";

type RevocationCall = Pick<IncomingCall, "deps" | "change"> & {
  principal: Principal;
  body: { reason: RevocationReason };
  fail: Fail<"profile_not_found">;
};

/** Revokes one profile of a kind in the realm, whatever its owner. Repeating it succeeds. */
export function revokeOfRealm(
  { principal, body: { reason }, deps: { clock }, change, fail }: RevocationCall,
  { serialNumber, kind }: { serialNumber: string; kind: ProfileKind },
): Promise<typeof done> {
  return change(async (tx) => {
    const revocation = { realmId: principal.realmId, serialNumber, kind, reason };
    const outcome = await revocations.revoke(tx, { ...revocation, actor: actorOf(principal), at: clock.now() });
    if (outcome === "not_found") throw fail("profile_not_found");
    return done;
  });
}
