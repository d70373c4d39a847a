import { queryOptions, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { AuditEntryID } from "../../../domain/ids.ts";
import { answerOf, api } from "../../api/api-client.ts";
import type { LoadList } from "../../list/export-csv.ts";
import { rememberDevices, useIncludedNames } from "../../ui/value/device.tsx";
import { rememberPeople } from "../../ui/value/person.tsx";
import { actingPersonQuery } from "./acting-person.ts";
import type { AuditEntry } from "./entry.ts";
import { writtenSubject } from "./written-subject.ts";

type Filter = Readonly<Record<string, string>>;

/** Converts the written filter to the API's; returns undefined if the text matches no person or subject. */
export async function apiFilterOf(
  { user, about, ...filter }: Filter,
  queries: QueryClient,
): Promise<Filter | undefined> {
  const found = { ...filter };
  if (user !== undefined) {
    const person = await queries.query(actingPersonQuery(user));
    if (typeof person !== "object") return undefined;
    found["user"] = person.userID;
  }
  if (about !== undefined) {
    const subject = writtenSubject(about) ?? (await queries.query(actingPersonQuery(about)));
    if (subject === "unknown" || subject === "ambiguous") return undefined;
    found["about"] = typeof subject === "string" ? subject : `user:${subject.userID}`;
  }
  return found;
}

export const entryKey = (id: string) => ["audit-entry", id];

/** Asks for entries. Caches each, so it can be opened, and the people and devices that they name. */
export async function findEntries(
  queries: QueryClient,
  query: { limit: number; offset?: number; search?: string; filter?: Filter; include?: string; sort?: Filter },
  signal: AbortSignal,
): Promise<{ data: AuditEntry[]; total: number }> {
  const answer = await answerOf(api.GET("/api/audit", { params: { query }, signal }));
  const { data, total = data.length, people, devices } = answer;
  rememberPeople(queries, people);
  rememberDevices(queries, devices);
  for (const entry of data) queries.setQueryData(entryKey(entry.id), entry);
  return { data, total };
}

/** Loads a page of the log. Without a search or filter, each bulk job is one line. */
export const loadEntries =
  (queries: QueryClient, included: { include?: string }): LoadList<AuditEntry> =>
  async ({ filter: written = {}, ...query }, signal) => {
    const filter = await apiFilterOf(written, queries);
    if (filter === undefined) return { data: [], total: 0 };
    const isWhole = query.search === undefined && Object.keys(filter).length === 0;
    return findEntries(queries, { ...query, ...included, filter: isWhole ? { jobSteps: "false" } : filter }, signal);
  };

/** Loads one entry; null if there is none with this number. */
export function useEntryQuery(id: string) {
  const queries = useQueryClient();
  const included = useIncludedNames();
  return queryOptions({
    queryKey: entryKey(id),
    queryFn: async ({ signal }): Promise<AuditEntry | null> => {
      if (!AuditEntryID.safeParse(id).success) return null;
      const { data } = await findEntries(queries, { limit: 1, filter: { id }, ...included }, signal);
      return data[0] ?? null;
    },
    staleTime: Infinity,
  });
}
