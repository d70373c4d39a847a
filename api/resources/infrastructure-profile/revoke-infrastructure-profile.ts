import { z } from "zod";
import { SerialNumber } from "../../../domain/ids.ts";
import { revocationReasons } from "../../../domain/revocation.ts";
import { Done, endpoint } from "../../contract/endpoint.ts";
import { revocationWith } from "../profile/revocation.ts";
import { revokeOfRealm } from "../profile/revoke-of-realm.ts";

export const revokeInfrastructureProfile = endpoint({
  operation: "revokeInfrastructureProfile",
  summary: "Revoke an infrastructure profile",
  method: "delete",
  path: "/api/infrastructure-profile/:serial",
  access: "staff",
  scope: "infrastructure.delete",
  params: z.object({ serial: SerialNumber }),
  body: revocationWith(revocationReasons.unspecified),
  data: Done,
  errors: ["profile_not_found"],
  unknown: { serial: "profile_not_found" },
  changes: true,

  handle: (call) => revokeOfRealm(call, { serialNumber: call.params.serial, kind: "infrastructure" }),
});
