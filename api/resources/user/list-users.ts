import * as users from "../../../db/queries/people/users.ts";
import type { UserFilter, UserSortKey } from "../../../db/queries/people/users.ts";
import { Role } from "../../../domain/people/roles.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import type { ListOptions } from "../../contract/paging.ts";
import { UserView, userView } from "../../contract/views/user-view.ts";

const filter: ListOptions<UserFilter, never>["filter"] = {
  blacklisted: filters.flag,
  locked: filters.flag,
  minProfileCount: filters.count,
  maxProfileCount: filters.count,
  minCreated: filters.instant,
  maxCreated: filters.instant,
  minLockDate: filters.instant,
  maxLockDate: filters.instant,
  minBlacklistDate: filters.instant,
  maxBlacklistDate: filters.instant,
  email: filters.text,
  role: Role.describe("Given here or by the identity provider."),
  text: filters.text.describe(
    "Words that are in the pairwise ID, the e-mail address or the name, in any letter case; ä, ö, ü and ß may be written ae, oe, ue and ss. Also the userID itself; and eight digits or more of the serial number of an active profile, or the whole number of any profile, find its owner.",
  ),
};

/** The search, sort keys and filters of the list of users. */
export const userList: ListOptions<UserFilter, UserSortKey> = {
  search: "pairwiseID",
  sort: users.userSortKeys,
  filter,
};

export const listUsers = paginated({
  operation: "listUsers",
  summary: "The users of the realm",
  path: "/api/user",
  access: "staff",
  scope: "user.read",
  item: UserView,
  ...userList,
  errors: [],

  async handle({ principal: { realmId }, page, deps: { db, clock } }) {
    const { items, total } = await users.list(db, { realmId, at: clock.now(), page });
    return { items: items.map(userView), total };
  },
});
