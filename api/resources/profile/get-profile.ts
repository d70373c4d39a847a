import { z } from "zod";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import { SerialNumber } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { ProfileView, profileView } from "../../contract/views/profile-view.ts";

export const getProfile = endpoint({
  operation: "getProfile",
  summary: "One profile of the realm's users",
  method: "get",
  path: "/api/profiles/:serial",
  access: "staff",
  scope: "profile.read",
  params: z.object({ serial: SerialNumber }),
  data: ProfileView,
  errors: ["profile_not_found"],
  unknown: { serial: "profile_not_found" },

  async handle({ params: { serial: serialNumber }, principal: { realmId }, deps: { db }, fail }) {
    const found = await certificates.findBySerialNumber(db, { realmId, serialNumber, kind: "user" });
    if (found === undefined) throw fail("profile_not_found");
    return profileView(found);
  },
});
