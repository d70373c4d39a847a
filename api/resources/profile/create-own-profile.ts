import { z } from "zod";
import { ProfileName } from "../../../domain/certificate/profile.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { issuanceViewOf } from "../../contract/views/issuance-view.ts";
import { CreatedProfileView } from "../../contract/views/profile-view.ts";
import { createProfileOf } from "./create-profile.ts";
import { ProfileCreation, profileCreationErrors } from "./profile-creation.ts";

export const createOwnProfile = endpoint({
  operation: "createOwnProfile",
  summary: "Create a profile for the signed-in user",
  method: "post",
  path: "/api/profile/:name",
  access: "user",
  scope: "profile.create",
  params: z.object({ name: ProfileName }),
  body: ProfileCreation,
  data: CreatedProfileView,
  pending: issuanceViewOf(CreatedProfileView),
  errors: profileCreationErrors,
  changes: true,

  handle: ({ params: { name }, ...call }) => createProfileOf(call.principal.userId, name, call),
});
