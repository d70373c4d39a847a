import { z } from "zod";
import { SerialNumber } from "../../../domain/ids.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import { Done, endpoint } from "../../contract/endpoint.ts";
import { confirmation, removalDescription, removalErrors } from "../profile/admit-removals.ts";
import { revocationOfOthersWith } from "../profile/revocation.ts";
import { revokeOfRealm } from "../profile/revoke-of-realm.ts";

export const revokeGuestProfile = endpoint({
  operation: "revokeGuestProfile",
  summary: "Revoke a profile of one of the realm's guest accounts",
  description: removalDescription,
  method: "delete",
  path: "/api/guest-profile/:profileSerial",
  access: "staff",
  scope: "guest.delete",
  params: z.object({ profileSerial: SerialNumber }),
  query: confirmation.query,
  body: revocationOfOthersWith(revocationReasons.unspecified),
  data: Done,
  errors: ["profile_not_found", ...removalErrors],
  unknown: { profileSerial: "profile_not_found" },
  changes: true,

  handle: (call) => revokeOfRealm(call, { serialNumber: call.params.profileSerial, kind: "guest" }),
});
