import type { QueryClient } from "@tanstack/react-query";
import { answerOf, api } from "../../api/api-client.ts";
import type { LoadList } from "../../list/export-csv.ts";
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

/** Loads a page of the log. Caches each entry, so it can be opened, and the people that the page names. */
export const loadEntries =
  (queries: QueryClient, include?: "people"): LoadList<AuditEntry> =>
  async ({ filter: written = {}, ...query }, signal) => {
    const filter = await apiFilterOf(written, queries);
    if (filter === undefined) return { data: [], total: 0 };
    const asked = { ...query, filter, ...(include && { include }) };
    const {
      data,
      total = data.length,
      people,
    } = await answerOf(api.GET("/api/audit", { params: { query: asked }, signal }));
    rememberPeople(queries, people);
    for (const entry of data) queries.setQueryData(entryKey(entry.id), entry);
    return { data, total };
  };
