import { pageItemsDefault, scimPageItemsMax } from "../../domain/limits.ts";
import { isText } from "../http/json-text.ts";
import { isObject, propertyOf } from "./attributes.ts";
import { parseFilter } from "./filter.ts";
import { namesIn, type Shown } from "./resource.ts";
import { valueFault } from "./scim-error.ts";
import type { DirectoryFilter } from "../../domain/people/directory.ts";

/** A parsed request for a list. */
export interface ListRequest extends Shown {
  filter: DirectoryFilter;
  /** Counted from 1. */
  startIndex: number;
  count: number;
}

type Given = (name: string) => unknown;

/**
 * Reads a whole number, given as a number or as text; returns `absent` if none is given. Throws for any other value.
 */
function wholeNumber(name: string, value: unknown, absent: number): number {
  if (value === undefined || value === null) return absent;
  const number = typeof value === "string" && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number)) throw valueFault(name, "must be a whole number");
  return number;
}

function names(value: unknown): Set<string> | undefined {
  if (value === undefined || value === null) return undefined;
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return namesIn(given.filter((name) => typeof name === "string"));
}

/** Reads the attributes that the response includes or excludes. */
const shownBy = (given: Given): Shown => ({
  attributes: names(given("attributes")),
  excluded: names(given("excludedattributes")) ?? new Set(),
});

function listBy(given: Given): ListRequest {
  const filter = given("filter");
  if (filter !== undefined && filter !== null && (typeof filter !== "string" || !isText(filter))) {
    throw valueFault("filter", "must be a text");
  }
  return {
    ...shownBy(given),
    filter: typeof filter === "string" ? parseFilter(filter) : true,
    startIndex: Math.max(1, wholeNumber("startIndex", given("startindex"), 1)),
    count: Math.min(scimPageItemsMax, Math.max(0, wholeNumber("count", given("count"), pageItemsDefault))),
  };
}

/** Returns a query's parameters by name in any letter case; the last of several values counts. */
const inQuery =
  (query: ReadonlyMap<string, readonly string[]>): Given =>
  (name) =>
    [...query].find(([key]) => key.toLowerCase() === name)?.[1].at(-1);

export const listInQuery = (query: ReadonlyMap<string, readonly string[]>): ListRequest => listBy(inQuery(query));
export const shownInQuery = (query: ReadonlyMap<string, readonly string[]>): Shown => shownBy(inQuery(query));

/** Reads a search request (RFC 7644 section 3.4.3). */
export const listInBody = (body: unknown): ListRequest =>
  listBy((name) => (isObject(body) ? propertyOf(body, name) : undefined));
