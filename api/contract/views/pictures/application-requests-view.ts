import { z } from "zod";
import type { RequestCount } from "../../../../db/queries/oauth/application-requests.ts";
import { Timestamp } from "../timestamp.ts";

/** The requests of an application by hour, and the refused ones by status. */
export const ApplicationRequestsView = z
  .object({
    hours: z
      .array(
        z.object({
          from: Timestamp,
          answered: z.int().describe("Requests with a status below 400."),
          refused: z.int().describe("Requests with a status from 400."),
        }),
      )
      .describe("Of 7 days, the earliest first; the last one has not ended."),
    refusals: z
      .array(z.object({ status: z.int(), requests: z.int() }))
      .describe("The refused requests of these hours by HTTP status, the most frequent first."),
  })
  .meta({ id: "ApplicationRequests" });
export type ApplicationRequestsView = z.infer<typeof ApplicationRequestsView>;

/** The lowest status of a refusal. */
const refusedFrom = 400;

export function applicationRequestsView({
  hours,
  counts,
}: {
  hours: readonly Date[];
  counts: readonly Omit<RequestCount, "clientId">[];
}): ApplicationRequestsView {
  const sumOf = (some: typeof counts): number => some.reduce((sum, { requests }) => sum + requests, 0);
  const refused = counts.filter(({ status }) => status >= refusedFrom);
  return {
    hours: hours.map((from) => {
      const ofHour = counts.filter(({ hour }) => hour.getTime() === from.getTime());
      const refusedInHour = sumOf(ofHour.filter(({ status }) => status >= refusedFrom));
      return { from: from.toISOString(), answered: sumOf(ofHour) - refusedInHour, refused: refusedInHour };
    }),
    refusals: [...new Set(refused.map(({ status }) => status))]
      .map((status) => ({ status, requests: sumOf(refused.filter((count) => count.status === status)) }))
      .sort((a, b) => b.requests - a.requests || a.status - b.status),
  };
}
