import { queryOptions } from "@tanstack/react-query";
import { searchLengthMin } from "../../domain/people/search-text.ts";
import { api, dataOf } from "./api-client.ts";

/** Whether a text is long enough to be searched for. */
export const isSearchable = (text: string): boolean => Array.from(text).length >= searchLengthMin;

/** The search over everything, bulk jobs included. */
export const searchEverything = (q: string) =>
  queryOptions({
    queryKey: ["search", q],
    queryFn: ({ signal }) => dataOf(api.POST("/api/search", { body: { q, include: "jobs" }, signal })),
    enabled: isSearchable(q),
    staleTime: 10_000,
  });
