import type { ChainedEntry } from "./chain.ts";

/** An entry in the words of its chain, with its place in it; null while it has none. */
export interface ExportedEntry extends ChainedEntry {
  realm: string;
  position: number | null;
  hash: string | null;
}

/** A line of an export, before it is JSON. */
export interface ExportLine {
  id: string;
  date: string;
  event: string;
  properties: string;
  realm: number;
  user: number | null;
  client: string | null;
  position: number | null;
  hash: string | null;
}

/** An entry as a line of an export. Its date is the one that is chained, which has microseconds if the entry has. */
export const exportLine = ({ realm, user, ...entry }: ExportedEntry): ExportLine => ({
  id: entry.id,
  date: entry.date,
  event: entry.event,
  properties: entry.properties,
  realm: Number(realm),
  user: user === null ? null : Number(user),
  client: entry.client,
  position: entry.position,
  hash: entry.hash,
});
