import type { Found } from "./list-state.ts";

/** Sends the search of a list as the API's filter `text`, which finds everything that the search over everything finds. */
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
