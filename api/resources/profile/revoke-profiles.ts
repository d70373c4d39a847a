import { z } from "zod";
import * as revocations from "../../../db/operations/revocations.ts";
import { SerialNumber } from "../../../domain/ids.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import { revokedTogetherMax } from "../../../domain/limits.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { admitRemovals, confirmation, removalDescription, removalErrors } from "./admit-removals.ts";
import { revocationOfOthersWith } from "./revocation.ts";

export const revokeProfiles = endpoint({
  operation: "revokeProfiles",
  summary: "Revoke several profiles of the realm's users",
  description:
    "Revokes all of them or, if one is unknown, none; the answer then names it. Profiles that are already revoked " +
    "count as done. " +
    removalDescription,
  method: "delete",
  path: "/api/profiles/bulk",
  access: "staff",
  scope: "profile.delete",
  query: confirmation.query,
  body: z.object({
    profiles: z.array(SerialNumber).min(1).max(revokedTogetherMax).describe("Serial numbers."),
    ...revocationOfOthersWith(revocationReasons.unspecified).shape,
  }),
  data: Done,
  errors: ["profile_not_found", ...removalErrors],
  changes: true,

  handle(call) {
    const { body, principal, deps, change, fail } = call;
    const { profiles, reason } = body;
    return change(async (tx) => {
      const at = deps.clock.now();
      const result = await revocations.revokeMany(tx, {
        realmId: principal.realmId,
        serialNumbers: profiles,
        kind: "user",
        reason,
        actor: actorOf(principal),
        at,
      });
      if (result.outcome === "not_found") {
        throw fail("profile_not_found", {
          description: `There is no profile ${result.serialNumber} in this realm. Nothing was revoked.`,
        });
      }
      await admitRemovals(tx, call, { count: result.revoked, of: "profiles", at });
      return done;
    });
  },
});
