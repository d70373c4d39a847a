import { z } from "zod";
import * as certificatePages from "../../../db/queries/certificates/certificate-pages.ts";
import type { GuestProfileFilter } from "../../../db/queries/certificates/certificate-pages.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { GuestAccountID } from "../../../domain/ids.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import { textFilter } from "../../contract/list-search.ts";
import type { ListOptions } from "../../contract/paging.ts";
import { GuestProfileView, guestProfileView } from "../../contract/views/guest-profile-view.ts";

const filter: ListOptions<GuestProfileFilter, never>["filter"] = {
  invalid: filters.flag,
  minCreateTime: filters.instant,
  maxCreateTime: filters.instant,
  text: textFilter("the name, the identity, the serial number or a part of it"),
};

export const listGuestProfiles = paginated({
  operation: "listGuestProfiles",
  summary: "The profiles of a guest account",
  path: "/api/guest-accounts/:guestAccountId/profiles",
  access: "staff",
  scope: "guest.view",
  params: z.object({ guestAccountId: GuestAccountID }),
  item: GuestProfileView,
  search: "serial",
  sort: certificatePages.guestProfileSortKeys,
  filter,
  errors: ["guest_account_not_found"],
  unknown: { guestAccountId: "guest_account_not_found" },

  async handle({ params: { guestAccountId }, principal: { realmId }, page, deps: { db, clock }, fail }) {
    if (!(await guestAccounts.exists(db, { realmId, guestAccountId }))) throw fail("guest_account_not_found");
    const { items, total } = await certificatePages.pageOfGuestAccount(db, {
      realmId,
      guestAccountId,
      at: clock.now(),
      page,
    });
    return { items: items.map(guestProfileView), total };
  },
});
