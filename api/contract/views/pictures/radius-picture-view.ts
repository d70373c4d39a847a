import { z } from "zod";
import type { AskingServer } from "../../../../db/queries/certificates/status-counts.ts";
import { Timestamp } from "../timestamp.ts";

const CountsView = z.object({
  good: z.int().describe("Answers that a certificate is good."),
  refused: z.int().describe("Answers that a certificate is revoked."),
});

/** How many OCSP responses RADIUS servers got, by hour. */
export const RadiusPictureView = z
  .object({
    at: Timestamp.describe("When this was counted."),
    hours: z
      .array(CountsView.extend({ from: Timestamp, weekBefore: CountsView.describe("In the same hour a week before.") }))
      .describe("Of 7 days, the earliest first; the last one has not ended. Responders add to it once a minute."),
    servers: z
      .array(
        CountsView.extend({
          address: z.string().nullable().describe("Null: addresses that are not counted one by one."),
          isServer: z
            .boolean()
            .describe("False: the realm names its RADIUS servers, and this is none; `hours` leaves it out."),
          lastAt: Timestamp,
        }),
      )
      .describe("The addresses that asked within these 7 days, at most 64, the latest first."),
  })
  .meta({ id: "RadiusPicture" });
export type RadiusPictureView = z.infer<typeof RadiusPictureView>;

interface Counts {
  good: number;
  refused: number;
}

export interface RadiusPicture {
  at: Date;
  hours: readonly (Counts & { from: Date; weekBefore: Counts })[];
  servers: readonly AskingServer[];
}

export const radiusPictureView = ({ at, hours, servers }: RadiusPicture): RadiusPictureView => ({
  at: at.toISOString(),
  hours: hours.map(({ from, ...counts }) => ({ from: from.toISOString(), ...counts })),
  servers: servers.map(({ lastAt, ...server }) => ({ ...server, lastAt: lastAt.toISOString() })),
});
