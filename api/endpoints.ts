import type { Endpoint } from "./endpoint.ts";
import { getLiveness, getReadiness } from "./health.ts";
import { getIssuance } from "./issuance/get-issuance.ts";
import { getProfile } from "./profile/get-profile.ts";
import { revokeProfile } from "./profile/revoke-profile.ts";
import { getRealm } from "./realm/get-realm.ts";
import { createUserProfile } from "./user/create-user-profile.ts";
import { getUser } from "./user/get-user.ts";
import { listUserProfiles } from "./user/list-user-profiles.ts";
import { listUsers } from "./user/list-users.ts";

/** Every endpoint there is. */
export const endpoints: readonly Endpoint[] = [
  listUsers,
  getUser,
  listUserProfiles,
  createUserProfile,
  getProfile,
  revokeProfile,
  getRealm,
  getIssuance,
  getLiveness,
  getReadiness,
];
