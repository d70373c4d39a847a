import { z } from "zod";
import { SerialNumber } from "../../../domain/ids.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { revocationWith } from "./revocation.ts";
import { revokeOfUser } from "./revoke-of-user.ts";

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
    return change(async (tx) => {
      const outcome = await revokeOfUser(tx, { principal, serialNumber, reason, at: clock.now() });
      if (outcome === "not_found") throw fail("profile_not_found");
      return done;
    });
  },
});
