import { canonicalJson } from "../canonical-json.ts";

/**
 * The audit log as a chain: every entry of a realm has a position, and a hash over its content and the hash before it.
 * docs/audit.md describes the format for auditors who check it with their own program.
 */

/** The hashed fields of an entry. Every field is text: nothing is lost between the database, an export and here. */
export interface ChainedEntry {
  /** A decimal identifier. */
  id: string;
  /** ISO 8601 in UTC with milliseconds, or with microseconds if the entry has them. */
  date: string;
  event: string;
  user: string | null;
  client: string | null;
  /** The text of a JSON object. */
  properties: string;
}

/** The end of a chain: the last position and its hash in hexadecimal. */
export interface ChainEnd {
  position: number;
  hash: string;
}

/** A signed statement, made at intervals: the realm's chain had this hash at this position. */
export interface AuditHead extends ChainEnd {
  /** The realm's identifier. */
  realm: string;
  /** ISO 8601 in UTC with milliseconds. */
  sealedAt: string;
  /** The position of the previous head; 0 for the first head. */
  previous: number;
  /** Whether all entries of the realm that were waiting had been sealed. */
  complete: boolean;
}

/** SHA-256 of a text's UTF-8 octets, in hexadecimal. */
export type Sha256 = (text: string) => string;

/** The end of an empty chain. */
export const chainStart: ChainEnd = { position: 0, hash: "0".repeat(64) };

/** An entry that has waited longer than this for its position is overdue. */
const waitingSecondsMax = 60;

/** Whether an entry that has waited from `since` should have its position by now. */
export const isLagging = (since: Date, at: Date): boolean => at.getTime() - since.getTime() > waitingSecondsMax * 1_000;

/**
 * Returns the link of the next entry in a realm's chain. Throws if the entry's properties are not JSON text, or are
 * nested too deep.
 */
export function nextLink(sha256: Sha256, realm: string, before: ChainEnd, entry: ChainedEntry): ChainEnd {
  const position = before.position + 1;
  return { position, hash: sha256(linkText(realm, { ...before, position }, entry)) };
}

/** Returns the text to hash, a JSON array without white space: the format's name, the entry's place, its content. */
function linkText(realm: string, { position, hash }: ChainEnd, entry: ChainedEntry): string {
  const { id, date, event, user, client, properties } = entry;
  const fields = JSON.stringify(["realmpass audit 1", hash, realm, String(position), id, date, event, user, client]);
  return `${fields.slice(0, -1)},${canonicalJson(properties)}]`;
}
