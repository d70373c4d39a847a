import type { QueryClient } from "@tanstack/react-query";
import { answerOf, api } from "../../api/api-client.ts";
import { rememberDevices, useIncludedNames } from "../../ui/value/device.tsx";
import { rememberGuests } from "../../ui/value/guest.tsx";
import { rememberPeople } from "../../ui/value/person.tsx";
import type { AuditEntry } from "./entry.ts";

type Filter = Readonly<Record<string, string>>;

export const entryKey = (id: string) => ["audit-entry", id];

/** Returns the query parameter that makes the API include the names that the user may read. */
export const useNamesInEntries = (): { include?: string } => useIncludedNames({ guests: true });

/**
 * Requests entries. Caches each entry, so the user can open it, and the people, devices and guest accounts in the
 * entries.
 */
export async function findEntries(
  queries: QueryClient,
  query: { limit: number; offset?: number; search?: string; filter?: Filter; include?: string; sort?: Filter },
  signal: AbortSignal,
): Promise<{ data: AuditEntry[]; total: number }> {
  const answer = await answerOf(api.GET("/api/audit", { params: { query }, signal }));
  const { data, total = data.length, people, devices, guests } = answer;
  rememberPeople(queries, people);
  rememberDevices(queries, devices);
  rememberGuests(queries, guests);
  for (const entry of data) queries.setQueryData(entryKey(entry.id), entry);
  return { data, total };
}
