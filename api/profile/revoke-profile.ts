import { z } from "zod";
import { revoke } from "../../db/queries/certificates.ts";
import { SerialNumber } from "../../domain/ids.ts";
import { RevocationReason, revocationReasons } from "../../domain/revocation.ts";
import { Done, done, endpoint } from "../endpoint.ts";
import { actorOf } from "../principal.ts";

/** The body of every deletion of a profile. */
const Revocation = z.object({
  reason: RevocationReason.default(revocationReasons.unspecified).describe("CRLReason (RFC 5280 section 5.3.1)."),
});

export const revokeProfile = endpoint({
  operation: "revokeProfile",
  summary: "Revoke a profile of one of the realm's users",
  method: "delete",
  path: "/api/profiles/:serial",
  access: "admin",
  scope: "profile.delete",
  params: z.object({ serial: SerialNumber }),
  body: Revocation,
  data: Done,
  errors: ["profile_not_found"],
  unknown: { serial: "profile_not_found" },
  changes: true,

  handle({ params: { serial: serialNumber }, body: { reason }, principal, deps: { clock }, change, fail }) {
    return change(async (tx) => {
      const revocation = { realmId: principal.realmId, serialNumber, kind: "user", reason } as const;
      const found = await revoke(tx, { ...revocation, actor: actorOf(principal), at: clock.now() });
      if (!found) throw fail("profile_not_found");
      return done;
    });
  },
});
