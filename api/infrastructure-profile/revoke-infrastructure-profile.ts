import { z } from "zod";
import { revoke } from "../../db/queries/certificates.ts";
import { SerialNumber } from "../../domain/ids.ts";
import { revocationReasons } from "../../domain/revocation.ts";
import { Done, done, endpoint } from "../endpoint.ts";
import { actorOf } from "../principal.ts";
import { revocationWith } from "../profile/revocation.ts";

export const revokeInfrastructureProfile = endpoint({
  operation: "revokeInfrastructureProfile",
  summary: "Revoke an infrastructure profile",
  method: "delete",
  path: "/api/infrastructure-profile/:serial",
  access: "admin",
  scope: "infrastructure.delete",
  params: z.object({ serial: SerialNumber }),
  body: revocationWith(revocationReasons.unspecified),
  data: Done,
  errors: ["profile_not_found"],
  unknown: { serial: "profile_not_found" },
  changes: true,

  handle({ params: { serial: serialNumber }, body: { reason }, principal, deps: { clock }, change, fail }) {
    return change(async (tx) => {
      const revocation = { realmId: principal.realmId, serialNumber, kind: "infrastructure", reason } as const;
      const found = await revoke(tx, { ...revocation, actor: actorOf(principal), at: clock.now() });
      if (!found) throw fail("profile_not_found");
      return done;
    });
  },
});
