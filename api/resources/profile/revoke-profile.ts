import { z } from "zod";
import { SerialNumber } from "../../../domain/ids.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import { Done, endpoint } from "../../contract/endpoint.ts";
import { confirmation, removalDescription, removalErrors } from "./admit-removals.ts";
import { revocationOfOthersWith } from "./revocation.ts";
import { revokeOfRealm } from "./revoke-of-realm.ts";

export const revokeProfile = endpoint({
  operation: "revokeProfile",
  summary: "Revoke a profile of one of the realm's users",
  description: removalDescription,
  method: "delete",
  path: "/api/profiles/:serial",
  access: "staff",
  scope: "profile.delete",
  params: z.object({ serial: SerialNumber }),
  query: confirmation.query,
  body: revocationOfOthersWith(revocationReasons.unspecified),
  data: Done,
  errors: ["profile_not_found", ...removalErrors],
  unknown: { serial: "profile_not_found" },
  changes: true,

  handle: (call) => revokeOfRealm(call, { serialNumber: call.params.serial, kind: "user" }),
});
