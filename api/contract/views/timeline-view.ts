import { z } from "zod";
import { timelineTypes } from "../../../domain/audit/timeline.ts";
import { ActedByView } from "./activity-view.ts";
import { Timestamp } from "./timestamp.ts";

/**
 * An entry in the timeline of a person or a guest account: an action by the person, or an event that concerns the
 * person or the account.
 */
export const TimelineItemView = z
  .object({
    at: Timestamp,
    type: z
      .enum(timelineTypes)
      .describe("An audit event, `profile_check`, `profile_ask`, `profile_expire` or `issuance_fail`."),
    by: ActedByView.nullable().describe("null: no user or client acted."),
    about: z
      .object({
        userID: z.string(),
        name: z.string().nullable().describe("null: not known, or the token lacks `user.read`."),
      })
      .nullable()
      .describe("Another person concerned; null: the person or guest account of the timeline, or nobody."),
    serial: z.string().nullable(),
    name: z.string().nullable().describe("Of the profile."),
    auditID: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "TimelineItem" });
export type TimelineItemView = z.infer<typeof TimelineItemView>;
