import type { ChainedEntry } from "./chain.ts";

/** A chained entry with its position and hash. Position and hash are null until the entry is sealed. */
export interface ExportedEntry extends ChainedEntry {
  realm: string;
  position: number | null;
  hash: string | null;
}

/** A line of an export, before it is encoded as JSON. */
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

/** Returns an entry as a line of an export. The date is as in the chain, with microseconds if the entry has them. */
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
