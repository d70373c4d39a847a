import { z } from "zod";
import * as timeline from "../../../db/queries/audit/timeline.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { GuestAccountID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { TimelineItemView } from "../../contract/views/timeline-view.ts";
import { endOfTime, timelineItems, timelineQuery } from "../user/read-timeline.ts";

export const listGuestTimeline = endpoint({
  operation: "listGuestTimeline",
  summary: "The events of a guest account and its profiles, latest first",
  method: "get",
  path: "/api/guest-accounts/:guestAccountId/timeline",
  access: "staff",
  scope: "guest.view",
  params: z.object({ guestAccountId: GuestAccountID }),
  query: timelineQuery,
  data: z.array(TimelineItemView),
  errors: ["guest_account_not_found"],
  unknown: { guestAccountId: "guest_account_not_found" },

  async handle({
    params: { guestAccountId },
    query: { before = endOfTime, limit },
    principal,
    deps: { db, clock },
    fail,
  }) {
    const { realmId } = principal;
    const at = clock.now();
    if ((await guestAccounts.find(db, { realmId, guestAccountId, at })) === undefined) {
      throw fail("guest_account_not_found");
    }
    const rows = await timeline.ofGuestAccount(db, { realmId, guestAccountId, before, at, limit });
    return timelineItems(db, { rows, ownerId: null, principal });
  },
});
