import { z } from "zod";
import { SerialNumber } from "../../../domain/ids.ts";
import { revocationReasons } from "../../../domain/certificate/revocation.ts";
import { Done, endpoint } from "../../contract/endpoint.ts";
import { confirmation, removalDescription, removalErrors } from "../profile/admit-removals.ts";
import { revocationOfOthersWith } from "../profile/revocation.ts";
import { revokeOfRealm } from "../profile/revoke-of-realm.ts";

export const revokeInfrastructureProfile = endpoint({
  operation: "revokeInfrastructureProfile",
  summary: "Revoke an infrastructure profile",
  description: removalDescription,
  method: "delete",
  path: "/api/infrastructure-profile/:serial",
  access: "staff",
  scope: "infrastructure.delete",
  params: z.object({ serial: SerialNumber }),
  query: confirmation.query,
  body: revocationOfOthersWith(revocationReasons.unspecified),
  data: Done,
  errors: ["profile_not_found", ...removalErrors],
  unknown: { serial: "profile_not_found" },
  changes: true,

  handle: (call) => revokeOfRealm(call, { serialNumber: call.params.serial, kind: "infrastructure" }),
});
