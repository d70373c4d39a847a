import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Search } from "./search.ts";

export const pageSizes = [25, 50, 100] as const;

/** The state of a list, kept in the address. */
export interface ListState {
  q: string;
  page: number;
  size: number;
  /** A sort key of the API, descending after `-`. Undefined: the list's own order. */
  sort: string | undefined;
  filter: Readonly<Record<string, string>>;
}

/** The API's query for one page of a list. */
export interface ListQuery {
  limit: number;
  offset: number;
  search?: string;
  filter?: Record<string, string>;
  sort?: Record<string, "asc" | "desc">;
}

/** The part of a query that decides which rows match. */
export type Found = Pick<ListQuery, "search" | "filter">;

/**
 * Returns the list's state and a function that changes the state. The whole state is in the address, so a link shows
 * the same list.
 */
export function useListState(filterKeys: readonly string[]): [ListState, (change: Partial<ListState>) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = readState(search, filterKeys);

  const change = (changed: Partial<ListState>) => {
    // Every change except that of the page starts at page 1.
    const next = { ...state, page: 1, ...changed };
    void navigate({ to: ".", search: { ...withoutList(search, filterKeys), ...writeState(next) }, replace: true });
  };
  return [state, change];
}

function readState(search: Search, filterKeys: readonly string[]): ListState {
  const size = Number(search["size"]);
  return {
    q: search["q"] ?? "",
    page: Math.max(1, Math.trunc(Number(search["page"] ?? "1")) || 1),
    size: pageSizes.find((known) => known === size) ?? pageSizes[0],
    sort: search["sort"],
    filter: Object.fromEntries(
      filterKeys.flatMap((key) => {
        const value = search[key];
        return value === undefined || value === "" ? [] : [[key, value]];
      }),
    ),
  };
}

const writeState = ({ q, page, size, sort, filter }: ListState): Search => ({
  ...filter,
  q: q === "" ? undefined : q,
  page: page === 1 ? undefined : String(page),
  size: size === pageSizes[0] ? undefined : String(size),
  sort,
});

const withoutList = (search: Search, filterKeys: readonly string[]): Search =>
  Object.fromEntries(
    Object.entries(search).filter(([name]) => !["q", "page", "size", "sort", ...filterKeys].includes(name)),
  );

/** Returns the query for this state. */
export function queryOf({ q, page, size, sort, filter }: ListState, defaultSort: string | undefined): ListQuery {
  const order = sort ?? defaultSort;
  return {
    limit: size,
    offset: (page - 1) * size,
    ...(q !== "" && { search: q }),
    ...(Object.keys(filter).length > 0 && { filter: { ...filter } }),
    ...(order !== undefined && { sort: sortOf(order) }),
  };
}

const sortOf = (order: string): Record<string, "asc" | "desc"> =>
  order.startsWith("-") ? { [order.slice(1)]: "desc" } : { [order]: "asc" };
