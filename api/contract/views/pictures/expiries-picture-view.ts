import { z } from "zod";
import { Timestamp } from "../timestamp.ts";

/** How many profiles of users expire in each week. */
export const ExpiriesPictureView = z
  .object({
    at: Timestamp.describe("When this was counted."),
    weeks: z
      .array(z.object({ from: Timestamp, until: Timestamp, profiles: z.int() }))
      .describe("53 weeks from Monday in UTC, this one first. `until` is the last instant of the week."),
  })
  .meta({ id: "ExpiriesPicture" });
export type ExpiriesPictureView = z.infer<typeof ExpiriesPictureView>;

export interface ExpiriesPicture {
  at: Date;
  weeks: readonly { from: Date; until: Date; profiles: number }[];
}

export const expiriesPictureView = ({ at, weeks }: ExpiriesPicture): ExpiriesPictureView => ({
  at: at.toISOString(),
  weeks: weeks.map(({ from, until, profiles }) => ({
    from: from.toISOString(),
    until: until.toISOString(),
    profiles,
  })),
});
