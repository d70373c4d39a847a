import { germanLetters } from "../domain/people/search-text.ts";
import { joinSerial, readSerial } from "../domain/serial-digits.ts";
import { join, sql, type Sql } from "./sql.ts";

/** A request for one page of a list. The keys of `sort` and `filter` have been checked against the list's keys. */
export interface PageRequest<Filter extends object = object, SortKey extends string = string> {
  limit: number;
  offset: number;
  /** The text to find, in any letter case; each list defines where. */
  search?: string | undefined;
  filter: Partial<Filter>;
  sort: readonly { key: SortKey; direction: "asc" | "desc" }[];
}

export interface Page<Item> {
  items: Item[];
  /** How many rows match search and filter, on all pages together. */
  total: number;
}

/** The column of each sort key. A nullable column is marked: its nulls come last in either direction. */
export type SortColumns<SortKey extends string> = Record<SortKey, Sql | { nullable: Sql }>;

/**
 * Returns `order by` for a list. The order is total, because ties are broken by id; newest first by default. With
 * `reversed`, the order is reversed.
 */
export function orderBy<SortKey extends string>(
  sort: PageRequest<object, SortKey>["sort"],
  columns: SortColumns<SortKey>,
  { newestFirst, id, reversed = false }: { newestFirst: Sql; id: Sql; reversed?: boolean },
): Sql {
  const term = (column: Sql | { nullable: Sql }, direction: "asc" | "desc"): Sql => {
    const towards = (direction === "asc") === reversed ? sql`desc` : sql`asc`;
    if (!("nullable" in column)) return sql`${column} ${towards}`;
    return sql`${column.nullable} ${towards} ${reversed ? sql`nulls first` : sql`nulls last`}`;
  };
  const terms =
    sort.length === 0 ? [term(newestFirst, "desc")] : sort.map(({ key, direction }) => term(columns[key], direction));
  return sql`order by ${join([...terms, term(id, sort.at(-1)?.direction ?? "desc")], sql`, `)}`;
}

/** Joins conditions by `and`; returns `true` if there are no conditions. */
export const all = (conditions: readonly (Sql | undefined)[]): Sql => {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? sql`true` : join(present, sql` and `);
};

/** Returns a condition for a value; undefined if there is no value. */
export const when = <Value>(value: Value | undefined, condition: (value: Value) => Sql): Sql | undefined =>
  value === undefined ? undefined : condition(value);

/** Returns a pattern for `like` that matches texts that begin with this text literally. */
export const beginningWith = (text: string): string => `${text.replace(/[\\%_]/g, "\\$&")}%`;

/**
 * Returns a text as written and in NFC, the form that most programs write: a letter and its marks are one character.
 */
const spellingsOf = (text: string): string[] => [...new Set([text, text.normalize("NFC")])];

/** Returns a pattern for `like` that matches texts that contain this text literally. */
const containing = (text: string): string => `%${beginningWith(text)}`;

const eitherSpelling = new RegExp(Object.entries(germanLetters).flat().join("|"), "g");

/**
 * Returns the condition that a lower-case column contains the word, with each of {@link germanLetters} in either
 * spelling.
 */
export function containsWord(folded: Sql, word: string): Sql {
  const inLowerCase = word.toLowerCase();
  const spellings = Object.entries(germanLetters);
  const pattern = inLowerCase.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(eitherSpelling, (found) => {
    const either = spellings.find((spelling) => spelling.includes(found)) ?? [found];
    return `(?:${either.join("|")})`;
  });
  if (inLowerCase.search(eitherSpelling) !== -1) return sql`${folded} ~ ${pattern}`;
  const whole = containing(inLowerCase);
  const indexed = indexedPattern(inLowerCase);
  return indexed === whole
    ? sql`${folded} like ${whole}`
    : sql`(${folded} like ${indexed} and ${folded} || '' like ${whole})`;
}

/** How many characters at each end of a long word the index looks up: more characters make the search slower. */
const indexedEnd = 8;

/**
 * Returns the pattern that an index looks up for a word: for an address, the part up to the `@` unless it is short,
 * because most people share the domain; for a long word, both ends; otherwise the whole word.
 */
function indexedPattern(word: string): string {
  const part = /^.{6,}?@/u.exec(word)?.[0] ?? word;
  const characters = Array.from(part);
  if (characters.length <= 2 * indexedEnd) return containing(part);
  const [start, end] = [characters.slice(0, indexedEnd), characters.slice(-indexedEnd)].map((end) => end.join(""));
  return `${containing(start ?? "")}${beginningWith(end ?? "")}`;
}

/**
 * Returns the condition that a lower-case column contains the text in one of its Unicode forms; see {@link
 * containsWord}.
 */
export const containsText = (folded: Sql, text: string): Sql =>
  sql`(${join(
    spellingsOf(text).map((spelling) => containsWord(folded, spelling)),
    sql` or `,
  )})`;

/** How many digits of a searched serial number the index looks up: more digits make the search slower. */
const indexedDigits = 7;

/**
 * Returns the condition that the serial number in this column contains these digits, which may be written in groups, or
 * equals the number that {@link readSerial} reads from another spelling.
 */
export const serialContains = (column: Sql, searched: string): Sql => {
  const digits = joinSerial(searched);
  const serial = readSerial(searched);
  if (serial !== undefined && serial !== digits) return sql`${column} = ${serial}`;
  const beginning = sql`${column} like ${containing(digits.slice(0, indexedDigits))}`;
  return digits.length <= indexedDigits
    ? beginning
    : sql`(${beginning} and ${column} || '' like ${containing(digits)})`;
};
