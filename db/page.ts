import { join, sql, type Sql } from "./sql.ts";

/** One page of a list, as asked for. Keys of `sort` and `filter` have been checked against what the list offers. */
export interface PageRequest<Filter extends object = object, SortKey extends string = string> {
  limit: number;
  offset: number;
  /** What the searched column must contain, in any letter case. */
  search?: string | undefined;
  filter: Partial<Filter>;
  sort: readonly { key: SortKey; direction: "asc" | "desc" }[];
}

export interface Page<Item> {
  items: Item[];
  /** How many rows match search and filter, on all pages together. */
  total: number;
}

/** `order by` for a list: total, because ties are broken by id; newest first when nothing is asked for. */
export function orderBy<SortKey extends string>(
  sort: PageRequest<object, SortKey>["sort"],
  columns: Record<SortKey, Sql>,
  tieBreak: { newestFirst: Sql; id: Sql },
): Sql {
  if (sort.length === 0) return sql`order by ${tieBreak.newestFirst} desc, ${tieBreak.id} desc`;
  const direction = (of: "asc" | "desc"): Sql => (of === "asc" ? sql`asc` : sql`desc`);
  const terms = sort.map(({ key, direction: of }) => sql`${columns[key]} ${direction(of)} nulls last`);
  const last = sort.at(-1)?.direction ?? "desc";
  return sql`order by ${join([...terms, sql`${tieBreak.id} ${direction(last)}`], sql`, `)}`;
}

/** The conditions that are there, joined by `and`; true when there is none. */
export const all = (conditions: readonly (Sql | undefined)[]): Sql => {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? sql`true` : join(present, sql` and `);
};

/** A condition for a value that may not have been given. */
export const when = <Value>(value: Value | undefined, condition: (value: Value) => Sql): Sql | undefined =>
  value === undefined ? undefined : condition(value);

/** A pattern for `ilike` that matches what contains the text literally. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
