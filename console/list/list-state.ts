import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Search } from "./search.ts";

export const pageSizes = [25, 50, 100] as const;

/** What a list shows, as its address says. */
export interface ListState {
  q: string;
  page: number;
  size: number;
  /** A sort key of the API; `-` before it: descending. Undefined: the list's own order. */
  sort: string | undefined;
  filter: Readonly<Record<string, string>>;
}

/** How the API is asked for one page of a list. */
export interface ListQuery {
  limit: number;
  offset: number;
  search?: string;
  filter?: Record<string, string>;
  sort?: Record<string, "asc" | "desc">;
}

/** What a list is searched and filtered by: of a query, what says which rows it finds. */
export type Found = Pick<ListQuery, "search" | "filter">;

/** The state of the list on this page, and how to change it. It is all in the address, so that a link shows the same. */
export function useListState(filterKeys: readonly string[]): [ListState, (change: Partial<ListState>) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = readState(search, filterKeys);

  const change = (changed: Partial<ListState>) => {
    // Whatever else is shown is shown from its beginning.
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

/** The request that shows this. */
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
