import * as revocations from "../../../db/operations/revocations.ts";
import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import type { RevocationReason } from "../../../domain/certificate/revocation.ts";
import { done, type Fail, type IncomingCall } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { admitRemovals, type RemovalCall } from "./admit-removals.ts";

type RevocationCall = Pick<IncomingCall, "deps" | "change"> &
  Omit<RemovalCall, "body" | "fail"> & {
    body: RemovalCall["body"] & { reason: RevocationReason };
    fail: RemovalCall["fail"] & Fail<"profile_not_found">;
  };

/** Revokes one profile of a kind in the realm, regardless of its owner. A repeated call succeeds. */
export function revokeOfRealm(
  call: RevocationCall,
  { serialNumber, kind }: { serialNumber: string; kind: ProfileKind },
): Promise<typeof done> {
  const { principal, body, deps, change, fail } = call;
  return change(async (tx) => {
    const at = deps.clock.now();
    const revocation = { realmId: principal.realmId, serialNumber, kind, reason: body.reason };
    const outcome = await revocations.revoke(tx, { ...revocation, actor: actorOf(principal), at });
    if (outcome === "not_found") throw fail("profile_not_found");
    await admitRemovals(tx, call, { count: outcome === "revoked" ? 1 : 0, of: "profiles", at });
    return done;
  });
}
