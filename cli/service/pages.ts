import { usageError } from "../../terminal/failure.ts";

/** The query of a list; the service refuses unknown keys. */
export interface ListQuery {
  limit: number;
  offset: number;
  search?: string;
  filter?: Record<string, string>;
  sort?: Record<string, "asc" | "desc">;
}

export interface ListChoice {
  limit: number | undefined;
  search: string | undefined;
  filter: readonly string[];
  sort: readonly string[];
}

export interface Page<Row> {
  data: Row[];
  total?: number;
}

const pageMax = 1_000;

/**
 * Yields every row of a list, page by page, or the first `limit` rows. A row that moves to a later page because another
 * row was added is not yielded twice.
 */
export async function* allRows<Row>(
  choice: ListChoice,
  { page, idOf }: { page: (query: ListQuery) => Promise<Page<Row>>; idOf: (row: Row) => string },
): AsyncGenerator<Row> {
  const { filter, sort } = parsed(choice);
  const given = new Set<string>();
  for (let offset = 0; ;) {
    const limit = Math.min(pageMax, (choice.limit ?? Infinity) - given.size);
    const { data, total = Infinity } = await page({
      limit,
      offset,
      ...(choice.search === undefined ? {} : { search: choice.search }),
      ...(choice.filter.length === 0 ? {} : { filter }),
      ...(choice.sort.length === 0 ? {} : { sort }),
    });
    for (const row of data) {
      if (given.has(idOf(row))) continue;
      given.add(idOf(row));
      yield row;
    }
    offset += data.length;
    if (data.length < limit || offset >= total || given.size === choice.limit) return;
  }
}

/** Parses `locked=true` and `created:desc` into the service's parameters. */
function parsed({ filter, sort }: ListChoice): Required<Pick<ListQuery, "filter" | "sort">> {
  const filters = filter.map((text): [string, string] => {
    const at = text.indexOf("=");
    return [text.slice(0, at), text.slice(at + 1)];
  });
  const sorts = sort.map((text): [string, "asc" | "desc"] => {
    const [key = "", direction = "asc"] = text.split(":");
    if (direction !== "asc" && direction !== "desc")
      throw usageError(`--sort ${text}: it ends in :asc, :desc or nothing.`);
    return [key, direction];
  });
  return { filter: Object.fromEntries(filters), sort: Object.fromEntries(sorts) };
}
