import { z } from "zod";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { ProfileView, profileView } from "../../contract/views/profile-view.ts";

export const listOwnProfiles = endpoint({
  operation: "listOwnProfiles",
  summary: "The active profiles of the signed-in user",
  description: "All of them, newest first; not paginated.",
  method: "get",
  path: "/api/profile",
  access: "user",
  scope: "profile.read",
  data: z.array(ProfileView),
  errors: [],

  async handle({ principal: { realmId, userId }, deps: { db, clock } }) {
    const profiles = await certificates.listActiveOfUser(db, { realmId, userId, at: clock.now() });
    return profiles.map(profileView);
  },
});
