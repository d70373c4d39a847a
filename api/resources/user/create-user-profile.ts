import { z } from "zod";
import { UserID } from "../../../domain/ids.ts";
import { ProfileName } from "../../../domain/certificate/profile.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { ProfileCreation, profileCreationErrors } from "../profile/profile-creation.ts";
import { createProfileOf } from "../profile/create-profile.ts";
import { issuanceViewOf } from "../../contract/views/issuance-view.ts";
import { CreatedProfileView } from "../../contract/views/profile-view.ts";

export const createUserProfile = endpoint({
  operation: "createUserProfile",
  summary: "Create a profile for a user",
  method: "post",
  path: "/api/user/:userID/profiles/:profileName",
  access: "staff",
  scope: "profile.create",
  params: z.object({ userID: UserID, profileName: ProfileName }),
  body: ProfileCreation,
  data: CreatedProfileView,
  pending: issuanceViewOf(CreatedProfileView),
  errors: profileCreationErrors,
  unknown: { userID: "user_not_found" },
  changes: true,

  handle: ({ params: { userID, profileName }, ...call }) => createProfileOf(userID, profileName, call),
});
