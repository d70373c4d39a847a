import { z } from "zod";
import type { PageRequest } from "../../db/page.ts";
import type { JobMatching } from "../../domain/bulk-job/job.ts";
import { ServiceError, type FieldError } from "../../domain/errors.ts";
import { pageItemsDefault, pageItemsMax, searchLengthMax } from "../../domain/limits.ts";
import { faultsOf } from "./faults.ts";
import { foldNames } from "./parse.ts";

/** The options of a list in addition to pages. */
export interface ListOptions<Filter extends object, SortKey extends string> {
  /** The fields that `search` covers; undefined if the list has no search. */
  search?: string;
  sort: readonly SortKey[];
  /** The additions that `include` can request, each with its schema. Omitted: none. */
  includes?: Readonly<Record<string, z.ZodType>>;
  /** The keys of `filter`, each with the schema of its text. */
  filter: { [Key in keyof Filter]: z.ZodType<Filter[Key], string> };
}

export const pageProperties = ["limit", "offset", "search", "filter", "sort"] as const;

/**
 * The paging part of a body. `limit` and `offset` cannot be null; for all other properties null counts as absent, since
 * clients with fixed classes send it.
 */
const PageBody = z.object({
  limit: z.int().min(1).max(pageItemsMax).optional(),
  offset: z.int().min(0).optional(),
  search: z.string().max(searchLengthMax).nullish(),
  filter: z
    .union([z.record(z.string(), filterValue()), z.array(z.object({ key: z.string(), value: filterValue() }))])
    .nullish(),
  sort: z
    .union([z.record(z.string(), z.string()), z.array(z.object({ key: z.string(), direction: z.string().optional() }))])
    .nullish(),
});

/** Returns the schema of a filter value: text by contract; numbers and booleans are accepted too. */
function filterValue() {
  return z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]);
}

/**
 * Parses the `include` of a query, a comma-separated list. Throws `invalid_request` for a word that the list does not
 * offer; ignores `include` if the list offers none.
 */
export function readIncludes(
  offered: ListOptions<object, string>["includes"],
  query: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  if (offered === undefined) return new Set();
  const words = (query.get("include") ?? []).flatMap((value) => value.split(",").map((word) => word.trim()));
  const fields = words
    .filter((word) => !Object.hasOwn(offered, word))
    .map((word) => ({ path: "include", reason: `there is no “${word.slice(0, 100)}” to include` }));
  if (fields.length > 0) throw new ServiceError("invalid_request", { fields });
  return new Set(words);
}

type Pairs = [key: string, value: string][];

/** Parses the filter of a query without pages. Throws `invalid_request` with every fault. */
export function readQueryFilter<Filter extends object>(
  offer: Pick<ListOptions<Filter, string>, "filter">,
  query: ReadonlyMap<string, readonly string[]>,
): Partial<Filter> {
  const faults: FieldError[] = [];
  const filter = readFilter(offer, bracketed("filter", query, faults), faults);
  if (faults.length > 0) throw new ServiceError("invalid_request", { fields: faults });
  return filter;
}

/** Returns whether a query contains any parameter of a paged list. */
export const asksForPage = (query: ReadonlyMap<string, readonly string[]>): boolean =>
  [...query.keys()].some((name) => /^(?:limit|offset|search|include|(?:filter|sort)(?:\[.*\])?)$/s.test(name));

/**
 * Parses the page that a body and a query ask for; the body takes precedence property by property. Throws
 * `invalid_request` with every fault of the body's types or, without any, with every other fault.
 */
export function readPage<Filter extends object, SortKey extends string>(
  offer: ListOptions<Filter, SortKey>,
  { body, query }: { body: unknown; query: ReadonlyMap<string, readonly string[]> },
): PageRequest<Filter, SortKey> {
  const faults: FieldError[] = [];
  const parsed = PageBody.safeParse(body);
  if (!parsed.success) throw new ServiceError("invalid_request", { fields: faultsOf(parsed.error) });
  const { data } = parsed;

  const single = (name: string): string | undefined => {
    const values = query.get(name) ?? [];
    if (values.length > 1) faults.push({ path: name, reason: "must be given once" });
    return values[0];
  };
  const integer = (name: string, text: string | undefined, min: number, max: number): number | undefined => {
    if (text === undefined) return undefined;
    const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    faults.push({ path: name, reason: `must be a whole number from ${min} to ${max}` });
    return undefined;
  };

  const limit = data.limit ?? integer("limit", single("limit"), 1, pageItemsMax) ?? pageItemsDefault;
  const offset = data.offset ?? integer("offset", single("offset"), 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const search = data.search ?? single("search");
  if (search !== undefined && search.length > searchLengthMax) {
    faults.push({ path: "search", reason: `must be at most ${searchLengthMax} characters` });
  }
  if (search !== undefined && search !== "" && offer.search === undefined) {
    faults.push({ path: "search", reason: "this list has no search" });
  }
  const filter = readFilter(offer, pairsOf(data.filter, "value") ?? bracketed("filter", query, faults), faults);
  const sort = readSort(offer, pairsOf(data.sort, "direction") ?? bracketed("sort", query, faults), faults);
  // Zod omits `__proto__` from its output.
  for (const [name, reason] of [
    ["filter", "there is no such filter"],
    ["sort", "this list cannot be sorted by that"],
  ] as const) {
    const given = (body as Partial<Record<typeof name, unknown>> | undefined)?.[name];
    if (typeof given === "object" && given !== null && Object.hasOwn(given, "__proto__")) {
      faults.push({ path: `${name}.__proto__`, reason });
    }
  }

  if (faults.length > 0) throw new ServiceError("invalid_request", { fields: faults });
  return { limit, offset, search: search === "" ? undefined : search, filter, sort };
}

const matchingProperties = ["search", "filter"] as const;

/** A client's selection of a list's rows, by search and filter, and the selection as given. */
export interface Matching<Filter extends object> {
  selection: Pick<PageRequest<Filter>, "search" | "filter">;
  given: JobMatching;
}

/**
 * Parses the search and filter that a client sends to select a list's rows instead of naming them; the list's rules
 * apply. Throws `invalid_request`, also for any other property: ignoring it would select more rows.
 */
export function readMatching<Filter extends object>(
  offer: ListOptions<Filter, string>,
  body: object,
): Matching<Filter> {
  const others = Object.keys(body).filter((name) => !matchingProperties.some((known) => known === name.toLowerCase()));
  try {
    if (others.length > 0) {
      const fields = others.map((path) => ({ path, reason: "there is no such property" }));
      throw new ServiceError("invalid_request", { fields });
    }
    const known = foldNames(matchingProperties, body);
    const { search, filter } = readPage(offer, { body: known, query: new Map() });
    const pairs = pairsOf(PageBody.parse(known).filter, "value") ?? [];
    const given = { ...(search !== undefined && { search }), filter: Object.fromEntries(pairs) };
    return { selection: { search, filter }, given };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const fields = error.fields?.map(({ path, reason }) => ({ path: `matching.${path}`, reason }));
    throw new ServiceError("invalid_request", { ...(fields && { fields }), cause: error });
  }
}

/** Converts an object or an array of pairs to pairs. */
function pairsOf(
  given: Record<string, string> | { key: string; value?: string; direction?: string | undefined }[] | null | undefined,
  part: "value" | "direction",
): Pairs | undefined {
  if (given === null || given === undefined) return undefined;
  return Array.isArray(given) ? given.map((pair) => [pair.key, pair[part] ?? "asc"]) : Object.entries(given);
}

/** Converts `filter[locked]=true` of a query to pairs. */
function bracketed(name: string, query: ReadonlyMap<string, readonly string[]>, faults: FieldError[]): Pairs {
  if (query.has(name)) faults.push({ path: name, reason: `must be written ${name}[key]=value` });
  return [...query].flatMap(([key, values]) =>
    key.startsWith(`${name}[`) && key.endsWith("]")
      ? values.map((value): [string, string] => [key.slice(name.length + 1, -1), value])
      : [],
  );
}

function readFilter<Filter extends object>(
  { filter: offered }: Pick<ListOptions<Filter, string>, "filter">,
  pairs: Pairs,
  faults: FieldError[],
): Partial<Filter> {
  const filter: Record<string, unknown> = {};
  for (const [key, text] of pairs) {
    const path = `filter.${key}`;
    if (!Object.hasOwn(offered, key)) faults.push({ path, reason: "there is no such filter" });
    else if (Object.hasOwn(filter, key)) faults.push({ path, reason: "must be given once" });
    else {
      const parsed = offered[key as keyof Filter].safeParse(text);
      filter[key] = parsed.data;
      if (!parsed.success) faults.push({ path, reason: parsed.error.issues[0]?.message ?? "is not valid" });
    }
  }
  return filter as Partial<Filter>;
}

function readSort<SortKey extends string>(
  { sort: offered }: Pick<ListOptions<object, SortKey>, "sort">,
  pairs: Pairs,
  faults: FieldError[],
): PageRequest<object, SortKey>["sort"] {
  const sort: { key: SortKey; direction: "asc" | "desc" }[] = [];
  for (const [key, text] of pairs) {
    const path = `sort.${key}`;
    const known = offered.find((offer) => offer === key);
    const direction = text.toLowerCase();
    if (known === undefined) faults.push({ path, reason: "this list cannot be sorted by that" });
    else if (sort.some((term) => term.key === known)) faults.push({ path, reason: "must be given once" });
    else if (direction !== "asc" && direction !== "desc") faults.push({ path, reason: 'must be "asc" or "desc"' });
    else sort.push({ key: known, direction });
  }
  return sort;
}
