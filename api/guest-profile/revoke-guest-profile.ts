import { z } from "zod";
import { revoke } from "../../db/queries/certificates.ts";
import { SerialNumber } from "../../domain/ids.ts";
import { revocationReasons } from "../../domain/revocation.ts";
import { Done, done, endpoint } from "../endpoint.ts";
import { actorOf } from "../principal.ts";
import { revocationWith } from "../profile/revocation.ts";

export const revokeGuestProfile = endpoint({
  operation: "revokeGuestProfile",
  summary: "Revoke a profile of one of the realm's guest accounts",
  method: "delete",
  path: "/api/guest-profile/:profileSerial",
  access: "admin",
  scope: "guest.delete",
  params: z.object({ profileSerial: SerialNumber }),
  body: revocationWith(revocationReasons.unspecified),
  data: Done,
  errors: ["profile_not_found"],
  unknown: { profileSerial: "profile_not_found" },
  changes: true,

  handle({ params: { profileSerial: serialNumber }, body: { reason }, principal, deps: { clock }, change, fail }) {
    return change(async (tx) => {
      const revocation = { realmId: principal.realmId, serialNumber, kind: "guest", reason } as const;
      const found = await revoke(tx, { ...revocation, actor: actorOf(principal), at: clock.now() });
      if (!found) throw fail("profile_not_found");
      return done;
    });
  },
});
