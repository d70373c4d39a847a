import * as certificatePages from "../../../db/queries/certificates/certificate-pages.ts";
import type { ActiveProfileFilter, ProfileSortKey } from "../../../db/queries/certificates/certificate-pages.ts";
import { paginated } from "../../contract/endpoint.ts";
import type { ListOptions } from "../../contract/paging.ts";
import { PeopleView, peopleOf } from "../../contract/views/person-view.ts";
import { ProfileView, profileView } from "../../contract/views/profile-view.ts";
import { activeProfileFilter } from "./profile-filter.ts";

/** What the list of active profiles offers. */
export const activeProfileList: ListOptions<ActiveProfileFilter, ProfileSortKey> = {
  search: "serial",
  sort: certificatePages.profileSortKeys,
  filter: activeProfileFilter,
};

export const listProfiles = paginated({
  operation: "listProfiles",
  summary: "The active profiles of all users of the realm",
  description: "With `include=people` the answer has their owners as `people`, by userID, which needs `user.read`.",
  path: "/api/profiles",
  access: "staff",
  scope: "profile.read",
  item: ProfileView,
  ...activeProfileList,
  includes: { people: PeopleView },
  errors: [],

  async handle({ principal, page, includes, deps: { db, clock } }) {
    const { realmId } = principal;
    const { items, total } = await certificatePages.pageOfActive(db, { realmId, at: clock.now(), page });
    return {
      items: items.map(profileView),
      total,
      included: includes.has("people")
        ? { people: await peopleOf(db, { principal, userIds: items.map(({ userId }) => userId) }) }
        : {},
    };
  },
});
