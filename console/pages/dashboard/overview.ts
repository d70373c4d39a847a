import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";

export type Overview = Schemas["Overview"];
export type Series = Overview["series"];

/** The periods of the activity chart, the default first. */
export const periods = ["24h", "7d", "30d"] as const satisfies readonly Series["period"][];
export type Period = (typeof periods)[number];

/** Short enough to show changes soon, and long enough for a page that stays open. */
export const refetchMs = 15_000;

/** Loads the realm's numbers, and polls while the page is visible. */
export const useOverview = (period: Period): UseQueryResult<Overview> =>
  useQuery({
    queryKey: ["overview", period],
    queryFn: ({ signal }) => dataOf(api.GET("/api/overview", { params: { query: { period } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
