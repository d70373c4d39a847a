import { z } from "zod";
import * as certificatePages from "../../../db/queries/certificates/certificate-pages.ts";
import type {
  ActiveProfileFilter,
  ProfileSortKey,
  RealmProfileFilter,
  RealmProfileSortKey,
} from "../../../db/queries/certificates/certificate-pages.ts";
import { paginated } from "../../contract/endpoint.ts";
import { searchesOf } from "../../contract/list-search.ts";
import type { ListOptions } from "../../contract/paging.ts";
import { includedPeople, PeopleView } from "../../contract/views/person-view.ts";
import { ProfileView, profileView } from "../../contract/views/profile-view.ts";
import { Timestamp } from "../../contract/views/timestamp.ts";
import { activeProfileFilter } from "./profile-filter.ts";

/** The options of the profile list for requests that act on every listed profile: only active profiles. */
export const activeProfileList: ListOptions<ActiveProfileFilter & { state: "active" }, ProfileSortKey> = {
  search: "serial",
  sort: certificatePages.profileSortKeys,
  filter: { ...activeProfileFilter, state: z.literal("active", 'must be "active": what is revoked stays revoked') },
};

const profileList: ListOptions<RealmProfileFilter, RealmProfileSortKey> = {
  search: "serial",
  sort: certificatePages.realmProfileSortKeys,
  filter: {
    ...activeProfileFilter,
    state: z.enum(certificatePages.listedProfileStates, 'must be "active", "revoked" or "all"'),
  },
};

export const listProfiles = paginated({
  operation: "listProfiles",
  summary: "The profiles of all users of the realm: the active or the revoked ones",
  description:
    "Active ones unless `filter[state]` is `revoked`; those begin with the newest revocation. With `include=people` the " +
    "answer has their owners as `people`, by userID, which needs `user.read`; with `include=checks` it has `checks`, by " +
    "serial: when a RADIUS server last asked about each, null when none has.",
  path: "/api/profiles",
  access: "staff",
  scope: "profile.read",
  item: ProfileView,
  ...profileList,
  includes: { people: PeopleView, checks: z.record(z.string(), Timestamp.nullable()) },
  errors: [],

  async handle(call) {
    const {
      principal,
      page,
      includes,
      deps: { db, clock },
    } = call;
    const searching = { realmId: principal.realmId, at: clock.now(), ...searchesOf("profiles", principal) };
    const { items, total } = await certificatePages.pageOfRealm(db, { ...searching, page });
    const people = await includedPeople(
      call,
      items.map(({ userId }) => userId),
    );
    const checks = Object.fromEntries(
      items.map(({ serialNumber, lastOcspAt }) => [serialNumber, lastOcspAt?.toISOString() ?? null]),
    );
    return {
      items: items.map(profileView),
      total,
      included: { ...people, ...(includes.has("checks") && { checks }) },
    };
  },
});
