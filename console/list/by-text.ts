import type { Found } from "./list-state.ts";

/** Sends a list's search text as the API's filter `text`, which matches the same rows as the search over everything. */
export const byText = <Query extends Found>({
  search,
  filter,
  ...query
}: Query): Omit<Query, "search" | "filter"> & Pick<Found, "filter"> => ({
  ...query,
  ...((search !== undefined || filter !== undefined) && {
    filter: { ...filter, ...(search !== undefined && { text: search }) },
  }),
});
