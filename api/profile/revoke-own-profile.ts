import { z } from "zod";
import { findOfUser, revoke } from "../../db/queries/certificates.ts";
import { SerialNumber } from "../../domain/ids.ts";
import { revocationReasons } from "../../domain/revocation.ts";
import { Done, done, endpoint } from "../endpoint.ts";
import { actorOf } from "../principal.ts";
import { revocationWith } from "./revocation.ts";

export const revokeOwnProfile = endpoint({
  operation: "revokeOwnProfile",
  summary: "Revoke a profile of the signed-in user",
  method: "delete",
  path: "/api/profile/:serial",
  access: "user",
  scope: "profile.delete",
  params: z.object({ serial: SerialNumber }),
  body: revocationWith(revocationReasons.unspecified),
  data: Done,
  errors: ["profile_not_found"],
  unknown: { serial: "profile_not_found" },
  changes: true,

  handle({ params: { serial: serialNumber }, body: { reason }, principal, deps: { clock }, change, fail }) {
    const { realmId, userId } = principal;
    return change(async (tx) => {
      const found = await findOfUser(tx, { realmId, userId, serialNumber });
      if (found === undefined) throw fail("profile_not_found");
      const revocation = { realmId, serialNumber, kind: "user", reason } as const;
      await revoke(tx, { ...revocation, actor: actorOf(principal), at: clock.now() });
      return done;
    });
  },
});
