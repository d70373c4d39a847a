import type { PageRequest } from "../../db/page.ts";
import { findsIn, type SearchFind, type SearchPlace } from "../../domain/search-places.ts";
import { hasStaffScope } from "./access.ts";
import { filters } from "./filters.ts";
import type { PrincipalFor } from "./access.ts";

/** Returns the properties that the caller's search of this list covers. */
export const searchesOf = (
  place: SearchPlace,
  principal: PrincipalFor["staff"],
): { finds: ReadonlySet<SearchFind> } => ({
  finds: findsIn(place, (scope) => hasStaffScope(principal, scope)),
});

/** Returns the `text` filter of a list. It finds rows by the same properties as the search over everything. */
export const textFilter = (found: string) =>
  filters.text.describe(
    `Finds by everything that \`/api/search\` understands: ${found}. Whatever needs another scope than the list's is found only with that scope.`,
  );

/** Treats `search` as the `text` filter, for a list that has no search column. */
export const searchingByText = <Filter extends { text: string }, SortKey extends string>({
  search,
  filter,
  ...page
}: PageRequest<Filter, SortKey>): PageRequest<Filter, SortKey> => ({
  ...page,
  filter: search === undefined ? filter : { ...filter, text: search },
});
