import { z } from "zod";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import { SerialNumber } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { ProfileView, profileView } from "../../contract/views/profile-view.ts";

export const getOwnProfile = endpoint({
  operation: "getOwnProfile",
  summary: "One profile of the signed-in user, active or not",
  method: "get",
  path: "/api/profile/:serial",
  access: "user",
  scope: "profile.read",
  params: z.object({ serial: SerialNumber }),
  data: ProfileView,
  errors: ["profile_not_found"],
  unknown: { serial: "profile_not_found" },

  async handle({ params: { serial: serialNumber }, principal: { realmId, userId }, deps: { db }, fail }) {
    const found = await certificates.findOfUser(db, { realmId, userId, serialNumber });
    if (found === undefined) throw fail("profile_not_found");
    return profileView(found);
  },
});
