import { z } from "zod";
import * as timeline from "../../../db/queries/audit/timeline.ts";
import * as users from "../../../db/queries/people/users.ts";
import { UserID } from "../../../domain/ids.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { TimelineItemView } from "../../contract/views/timeline-view.ts";
import { endOfTime, timelineItems, timelineQuery } from "./read-timeline.ts";

export const listUserTimeline = endpoint({
  operation: "listUserTimeline",
  summary: "The events by and about a person, latest first",
  description:
    "Needs the scope of each list of which it shows a part. Serial numbers and names of guests' profiles are in it with " +
    "`guest.view`, servers' with `infrastructure.read`, names of people with `user.read`.",
  method: "get",
  path: "/api/user/:userID/timeline",
  access: "staff",
  scope: "user.read",
  furtherScopes: ["profile.read"],
  params: z.object({ userID: UserID }),
  query: timelineQuery.extend({
    side: z
      .enum(timeline.timelineSides, 'must be "by" or "about"')
      .optional()
      .describe("`by`: what the person did; `about`: what happened to them. Default: both."),
  }),
  data: z.array(TimelineItemView),
  errors: ["user_not_found"],
  unknown: { userID: "user_not_found" },

  async handle({
    params: { userID: userId },
    query: { before = endOfTime, limit, side },
    principal,
    deps: { db, clock },
    fail,
  }) {
    const { realmId } = principal;
    if (!(await users.exists(db, { realmId, userId }))) throw fail("user_not_found");
    const rows = await timeline.ofUser(db, { realmId, userId, side, before, at: clock.now(), limit });
    return timelineItems(db, { rows, ownerId: userId, principal });
  },
});
