import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import type { GuestAccountFilter } from "../../../db/queries/people/guest-accounts.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import { searchesOf, textFilter } from "../../contract/list-search.ts";
import type { ListOptions } from "../../contract/paging.ts";
import { GuestAccountView, guestAccountView } from "../../contract/views/guest-account-view.ts";

const filter: ListOptions<GuestAccountFilter, never>["filter"] = {
  invalid: filters.flag,
  minCreateTime: filters.instant,
  maxCreateTime: filters.instant,
  minExpirationTime: filters.instant,
  maxExpirationTime: filters.instant,
  text: textFilter(
    "words of the name, the id, and of the account's profiles the name, the identity, the serial number or eight digits of it",
  ),
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

  async handle({ principal, page, deps: { db, clock } }) {
    const searching = { realmId: principal.realmId, at: clock.now(), ...searchesOf("guestAccounts", principal) };
    const { items, total } = await guestAccounts.list(db, { ...searching, page });
    return { items: items.map(guestAccountView), total };
  },
});
