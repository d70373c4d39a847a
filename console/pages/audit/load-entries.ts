import type { QueryClient } from "@tanstack/react-query";
import { api, listOf } from "../../api/api-client.ts";
import type { LoadList } from "../../list/export-csv.ts";
import { actingPersonQuery } from "./acting-person.ts";
import type { AuditEntry } from "./entry.ts";

type Filter = Readonly<Record<string, string>>;

/** The filter that the API understands; undefined when nobody is meant by its person. */
export async function apiFilterOf({ user, ...filter }: Filter, queries: QueryClient): Promise<Filter | undefined> {
  if (user === undefined) return filter;
  const person = await queries.query(actingPersonQuery(user));
  return typeof person === "object" ? { ...filter, user: person.userID } : undefined;
}

export const entryKey = (id: string) => ["audit-entry", id];

/** A page of the log. Its entries are remembered one by one, so that each can be opened. */
export const loadEntries =
  (queries: QueryClient): LoadList<AuditEntry> =>
  async ({ filter: written = {}, ...query }, signal) => {
    const filter = await apiFilterOf(written, queries);
    if (filter === undefined) return { data: [], total: 0 };
    const page = await listOf(api.GET("/api/audit", { params: { query: { ...query, filter } }, signal }));
    for (const entry of page.data) queries.setQueryData(entryKey(entry.id), entry);
    return page;
  };
