import { queryOptions, useQueryClient, type QueryClient } from "@tanstack/react-query";
import type { LoadList } from "../../list/export-csv.ts";
import type { AuditEntry } from "./entry.ts";
import { entryKey, findEntries, useNamesInEntries } from "./find-entries.ts";
import { idOf, meaningsQuery, meantFilters } from "./meanings.ts";

type Filter = Readonly<Record<string, string>>;

/** Converts the user's filter to the API's; returns undefined if a text has no meaning or several meanings. */
export async function apiFilterOf(written: Filter, queries: QueryClient): Promise<Filter | undefined> {
  const filter = { ...written };
  for (const key of meantFilters) {
    const text = written[key];
    if (text === undefined) continue;
    const { found } = await queries.query(meaningsQuery(key, text));
    const [meaning, ...others] = found;
    if (meaning === undefined || others.length > 0) return undefined;
    filter[key] = key === "about" ? meaning.subject : idOf(meaning);
  }
  return filter;
}

/**
 * Loads a page of the log. Without a search or filter, each bulk job is one line. The page is empty if a filter's text
 * has no meaning or several meanings.
 */
export const loadEntries =
  (queries: QueryClient, included: { include?: string }): LoadList<AuditEntry> =>
  async ({ filter: written = {}, ...query }, signal) => {
    const filter = await apiFilterOf(written, queries);
    if (filter === undefined) return { data: [], total: 0 };
    const isWhole = query.search === undefined && Object.keys(filter).length === 0;
    return findEntries(queries, { ...query, ...included, filter: isWhole ? { jobSteps: "false" } : filter }, signal);
  };

/** Returns the query that loads one entry; null if no entry has this number. */
export function useEntryQuery(id: string) {
  const queries = useQueryClient();
  const included = useNamesInEntries();
  return queryOptions({
    queryKey: entryKey(id),
    queryFn: async ({ signal }): Promise<AuditEntry | null> => {
      if (!/^[1-9]\d{0,18}$/.test(id)) return null;
      const { data } = await findEntries(queries, { limit: 1, filter: { id }, ...included }, signal);
      return data[0] ?? null;
    },
    staleTime: Infinity,
  });
}
