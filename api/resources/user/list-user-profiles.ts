import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import * as certificatePages from "../../../db/queries/certificates/certificate-pages.ts";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { paginated, type Fail } from "../../contract/endpoint.ts";
import { profileFilter } from "../profile/profile-filter.ts";
import { includedPeople, PeopleView } from "../../contract/views/person-view.ts";
import { ProfileView, profileView } from "../../contract/views/profile-view.ts";

export const listUserProfiles = paginated({
  operation: "listUserProfiles",
  summary: "The profiles of a user",
  description:
    "Under version 1.0 a GET without any paging, search, sort, filter or include parameter answers every profile in a plain " +
    "array; everything else is paginated. With `include=people` the answer has the user as `people`, which needs `user.read`.",
  path: "/api/user/:userID/profiles",
  access: "staff",
  scope: "profile.read",
  params: z.object({ userID: UserID }),
  item: ProfileView,
  search: "serial",
  sort: certificatePages.profileSortKeys,
  filter: profileFilter,
  includes: { people: PeopleView },
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async firstForm({ params: { userID: userId }, principal: { realmId }, deps: { db }, fail }) {
    await requireUser(db, { realmId, userId }, fail);
    const profiles = await certificates.listOfUser(db, { realmId, userId });
    return profiles.map(profileView);
  },

  async handle(call) {
    const {
      params: { userID: userId },
      principal: { realmId },
      page,
      deps: { db, clock },
      fail,
    } = call;
    await requireUser(db, { realmId, userId }, fail);
    const { items, total } = await certificatePages.pageOfUser(db, { realmId, userId, at: clock.now(), page });
    return { items: items.map(profileView), total, included: await includedPeople(call, [userId]) };
  },
});

async function requireUser(
  db: Db,
  user: { realmId: string; userId: string },
  fail: Fail<"user_not_found">,
): Promise<void> {
  if (!(await users.exists(db, user))) throw fail("user_not_found");
}
