import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import type { GuestAccountFilter } from "../../../db/queries/people/guest-accounts.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import type { ListOptions } from "../../contract/paging.ts";
import { GuestAccountView, guestAccountView } from "../../contract/views/guest-account-view.ts";

const filter: ListOptions<GuestAccountFilter, never>["filter"] = {
  invalid: filters.flag,
  minCreateTime: filters.instant,
  maxCreateTime: filters.instant,
  minExpirationTime: filters.instant,
  maxExpirationTime: filters.instant,
};

export const listGuestAccounts = paginated({
  operation: "listGuestAccounts",
  summary: "The guest accounts of the realm",
  path: "/api/guest-accounts",
  access: "staff",
  scope: "guest.view",
  item: GuestAccountView,
  search: "name",
  sort: guestAccounts.guestAccountSortKeys,
  filter,
  errors: [],

  async handle({ principal: { realmId }, page, deps: { db, clock } }) {
    const { items, total } = await guestAccounts.list(db, { realmId, at: clock.now(), page });
    return { items: items.map(guestAccountView), total };
  },
});
