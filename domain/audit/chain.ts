/**
 * The audit log as a chain: every entry of a realm has a position, and a hash over what it says and the hash before it.
 * docs/audit.md describes the same for an auditor who checks it with a program of their own.
 */

/** What is hashed of an entry. Every field is text: nothing is lost between the database, an export and here. */
export interface ChainedEntry {
  /** A decimal identifier. */
  id: string;
  /** ISO 8601 in UTC with milliseconds, or with microseconds where there are any. */
  date: string;
  event: string;
  user: string | null;
  client: string | null;
  /** The text of a JSON object. */
  properties: string;
}

/** Where a chain is: the last position and its hash in hexadecimal. */
export interface ChainEnd {
  position: number;
  hash: string;
}

/** What is signed now and then: that a realm's chain had this hash at this position. */
export interface AuditHead extends ChainEnd {
  /** The realm's identifier. */
  realm: string;
  /** ISO 8601 in UTC with milliseconds. */
  sealedAt: string;
  /** The position of the head before; 0 for the first. */
  previous: number;
  /** Nothing else of the realm was waiting to be sealed. */
  complete: boolean;
}

/** SHA-256 of a text's UTF-8 octets, in hexadecimal. */
export type Sha256 = (text: string) => string;

/** Where every chain begins. */
export const chainStart: ChainEnd = { position: 0, hash: "0".repeat(64) };

/** An entry that has waited for its place for longer than this was left lying. */
const waitingSecondsMax = 60;

/** Whether an entry from then should have had its place by now. */
export const isLagging = (since: Date, at: Date): boolean => at.getTime() - since.getTime() > waitingSecondsMax * 1_000;

/** The place of the next entry in a realm's chain. Throws when its properties are not the text of JSON. */
export function nextLink(sha256: Sha256, realm: string, before: ChainEnd, entry: ChainedEntry): ChainEnd {
  const position = before.position + 1;
  return { position, hash: sha256(linkText(realm, { ...before, position }, entry)) };
}

/** A JSON array without white space: the form's name, where the entry stands, what it says. */
function linkText(realm: string, { position, hash }: ChainEnd, entry: ChainedEntry): string {
  const { id, date, event, user, client, properties } = entry;
  const fields = JSON.stringify(["realmpass audit 1", hash, realm, String(position), id, date, event, user, client]);
  return `${fields.slice(0, -1)},${canonicalJson(properties)}]`;
}

/** No entry is nested as deep as this. */
const depthMax = 500;

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * A JSON text in the one form that everything with its content has: no white space, the names of each object in the order
 * of their UTF-16 units, strings as JSON.stringify writes them (both as RFC 8785 has it); numbers as they are written, so
 * that no digit is rounded away. Throws SyntaxError for what is no JSON.
 */
export function canonicalJson(text: string): string {
  JSON.parse(text);
  const tokens = text.match(jsonToken) ?? [];
  let at = 0;

  const value = (depth: number): string => {
    if (depth >= depthMax) throw new SyntaxError("JSON is nested too deep");
    const token = tokens[at++] ?? "";
    if (token === "{") return object(depth);
    if (token === "[") return `[${items("]", () => value(depth + 1)).join(",")}]`;
    return token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
  };
  const object = (depth: number): string => {
    const members = items("}", (): [name: string, member: string] => {
      const name = JSON.parse(tokens[at++] ?? "") as string;
      at++; // the colon
      return [name, `${JSON.stringify(name)}:${value(depth + 1)}`];
    });
    return `{${members
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, member]) => member)
      .join(",")}}`;
  };
  const items = <Item>(end: string, read: () => Item): Item[] => {
    const found: Item[] = [];
    while (tokens[at] !== end) {
      found.push(read());
      if (tokens[at] === ",") at++;
    }
    at++;
    return found;
  };

  return value(0);
}
