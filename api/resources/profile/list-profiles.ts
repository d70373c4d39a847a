import * as certificatePages from "../../../db/queries/certificates/certificate-pages.ts";
import { paginated } from "../../contract/endpoint.ts";
import { ProfileView, profileView } from "../../contract/views/profile-view.ts";
import { activeProfileFilter } from "./profile-filter.ts";

export const listProfiles = paginated({
  operation: "listProfiles",
  summary: "The active profiles of all users of the realm",
  path: "/api/profiles",
  access: "admin",
  scope: "profile.read",
  item: ProfileView,
  search: "serial",
  sort: certificatePages.profileSortKeys,
  filter: activeProfileFilter,
  errors: [],

  async handle({ principal: { realmId }, page, deps: { db, clock } }) {
    const { items, total } = await certificatePages.pageOfActive(db, { realmId, at: clock.now(), page });
    return { items: items.map(profileView), total };
  },
});
