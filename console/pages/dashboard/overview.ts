import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";

export type Overview = Schemas["Overview"];
export type Series = Overview["series"];

/** The spans of time that activity is shown for, the first by default. */
export const periods = ["24h", "7d", "30d"] as const satisfies readonly Series["period"][];
export type Period = (typeof periods)[number];

/** Often enough to watch, and seldom enough to be left open. */
export const refetchMs = 15_000;

/** The realm in numbers, counted again and again while somebody looks. */
export const useOverview = (period: Period): UseQueryResult<Overview> =>
  useQuery({
    queryKey: ["overview", period],
    queryFn: ({ signal }) => dataOf(api.GET("/api/overview", { params: { query: { period } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
