import * as users from "../../../db/queries/people/users.ts";
import type { UserFilter, UserSortKey } from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { Role } from "../../../domain/people/roles.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import { searchesOf, textFilter } from "../../contract/list-search.ts";
import type { ListOptions } from "../../contract/paging.ts";
import { includedPeople, PeopleView } from "../../contract/views/person-view.ts";
import { UserView, userView } from "../../contract/views/user-view.ts";

const filter: ListOptions<UserFilter, never>["filter"] = {
  blacklisted: filters.flag,
  locked: filters.flag,
  notPermitted: filters.flag.describe(
    "Refused by a sign-in because the identity provider no longer permits the realm, and not permitted since.",
  ),
  managed: filters.flag.describe("Known to a directory, which brings people over SCIM."),
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
  text: textFilter(
    "words that are in the pairwise ID, the e-mail address or the name, the userID, and of the person's profiles, active or not, the name, the identity, the serial number or eight digits of it",
  ),
  userIDs: filters.list(UserID),
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
  description: "With `include=people` the answer has `people`, by userID, with their names.",
  path: "/api/user",
  access: "staff",
  scope: "user.read",
  item: UserView,
  ...userList,
  includes: { people: PeopleView },
  errors: [],

  async handle(call) {
    const {
      principal,
      page,
      deps: { db, clock },
    } = call;
    const { realmId } = principal;
    const searching = { realmId, at: clock.now(), ...searchesOf("people", principal) };
    const { items, total } = await users.list(db, { ...searching, page });
    const userIds = items.map(({ id }) => id);
    return { items: items.map(userView), total, included: await includedPeople(call, userIds) };
  },
});
