import type { QueryClient } from "@tanstack/react-query";
import { answerOf, api } from "../../api/api-client.ts";
import { rememberDevices } from "../../ui/value/device.tsx";
import { rememberPeople } from "../../ui/value/person.tsx";
import type { AuditEntry } from "./entry.ts";

type Filter = Readonly<Record<string, string>>;

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
