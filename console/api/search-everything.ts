import { queryOptions } from "@tanstack/react-query";
import { searchLengthMin } from "../../domain/people/search-text.ts";
import { api, dataOf } from "./api-client.ts";

/** Returns true if a text is long enough for a search. */
export const isSearchable = (text: string): boolean => Array.from(text).length >= searchLengthMin;

/** Returns the query for the search over everything, including bulk jobs. */
export const searchEverything = (q: string) =>
  queryOptions({
    queryKey: ["search", q],
    queryFn: ({ signal }) => dataOf(api.POST("/api/search", { body: { q, include: "jobs" }, signal })),
    enabled: isSearchable(q),
    staleTime: 10_000,
  });
