import { createFreshByKey, type FreshByKey } from "../runtime/fresh.ts";
import { only, type Db } from "./client.ts";
import { orderBy, type Page, type PageRequest, type SortColumns } from "./page.ts";
import { sql, unprepared, type Sql } from "./sql.ts";

/**
 * With up to this many rows, every page counts the total again; with more rows, the total can be up to {@link
 * totalAgeSecondsMax} old.
 */
export const exactTotalMax = 100_000;

export const totalAgeSecondsMax = 5;

/** A total this far above {@link exactTotalMax} cannot fall below it within {@link totalAgeSecondsMax}. */
const farBeyond = 150_000;

/** A total in use is counted again before it is too old, so no request waits for the new count. */
const renewedAfterSeconds = 2.5;

/** The source of a list's rows, and the conditions that select them. */
export interface Rows {
  /** `certificates c` */
  from: Sql;
  /** The conditions for realm, search and filter. */
  matching: Sql;
}

export interface List<SortKey extends string> extends Rows {
  page: PageRequest<object, SortKey>;
  /** Identifies this list together with search and filter: the list's name, the realm, the rows' owner. */
  key: readonly string[];
  id: Sql;
  newestFirst: Sql;
  sortedBy: SortColumns<SortKey>;
  /**
   * Set if few rows may match, or if matching rows may be far from both ends of the order: up to `max` rows are found
   * without the order, and sorted by these columns afterwards. With `reading`, only if the order would be read in that
   * direction.
   */
  gathered?: { columns: Sql; as: Sql; max: number; reading?: "asc" | "desc" | undefined };
  /**
   * A form of `matching` that finds few rows faster when Postgres expects many. Used for gathered rows, and for a count
   * up to {@link exactTotalMax}.
   */
  few?: Sql | undefined;
  /** A form of the list's rows that is cheaper to count. */
  counted?: Rows;
  /** The columns of an item, and the join that reads them for the page's ids (`page.id`). */
  items: { columns: Sql; join: Sql };
}

/**
 * Returns a page of a list. Finds the ids first, from whichever end of the list is nearer, and reads only the rows with
 * these ids. Statements are planned for their values each time, because the best plan depends on how many rows a filter
 * leaves.
 */
export async function pageOf<Item extends object, SortKey extends string = string>(
  db: Db,
  list: List<SortKey>,
): Promise<Page<Item>> {
  const { limit, offset } = list.page;
  if (offset === 0 && list.gathered === undefined) {
    const items = await itemsOf<Item>(db, list, { limit, offset });
    return { items, total: items.length < limit ? items.length : await totalOf(db, list) };
  }

  const total = await totalOf(db, list);
  if (offset >= total) return { items: [], total };
  const gather = total <= (list.gathered?.max ?? 0);
  const behind = Math.max(total - offset - limit, 0);
  const items =
    behind < offset
      ? await itemsOf<Item>(db, list, { limit: total - offset - behind, offset: behind, reversed: true, gather })
      : await itemsOf<Item>(db, list, { limit, offset, gather });
  return { items, total };
}

/** Returns rows of the list, counted from its beginning or, if `reversed`, from its end; always in the list's order. */
function itemsOf<Item extends object>(
  db: Db,
  { from, matching, few = matching, gathered, id, page, sortedBy, newestFirst, items }: List<string>,
  {
    limit,
    offset,
    reversed = false,
    gather = false,
  }: { limit: number; offset: number; reversed?: boolean; gather?: boolean },
): Promise<Item[]> {
  // `offset 0` prevents the sort order from influencing how the rows are found.
  const reading = ((page.sort[0]?.direction ?? "desc") === "asc") === reversed ? "desc" : "asc";
  const rows =
    gathered && gather && (gathered.reading ?? reading) === reading
      ? sql`(select ${gathered.columns} from ${from} where ${few} offset 0) as ${gathered.as}`
      : sql`${from} where ${matching}`;
  return db.query<Item>(
    unprepared(sql`
      with page as materialized (
        select id, row_number() over () as place
          from (select ${id} as id
                  from ${rows}
                 ${orderBy(page.sort, sortedBy, { newestFirst, id, reversed })}
                 limit ${limit} offset ${offset}) as found
      )
      select ${items.columns}
        from page
        ${items.join}
       order by page.place ${reversed ? sql`desc` : sql`asc`}
    `),
  );
}

/**
 * Counts the rows, which is most of the cost of a list. Measured with 100,000 users, 1,000,000 profiles and everything
 * in memory: users of a realm by an index alone 12 ms; with a text in the e-mail address 25 ms and in either of two
 * columns 35 ms, by reading the table, because nearly every row matches (`strpos` 30 ms, a regular expression 200 ms);
 * three digits within serial numbers (28,000 matches) by the trigram index 65 ms, most of it for reading 10,000 pages
 * of the table. The limit accounts for 2 ms of these times, planning for 0.2 ms. Reading the ids and rows of a page
 * takes 1 to 6 ms, planning that query 0.4 to 1 ms; if 44,000 rows must be sorted first, 30 ms.
 */
async function totalOf(db: Db, { page: { search, filter }, key, ...list }: List<string>): Promise<number> {
  const { from, matching } = list.counted ?? list;
  const question = JSON.stringify([key, search, filter]);
  const known = totalsOf(db);
  const countAll = () => count(db, sql`${from} where ${matching}`);
  if ((known.peek(question) ?? 0) >= farBeyond) return known.get(question, countAll);
  const { few = matching } = list;
  const bounded = await count(db, sql`(select from ${from} where ${few} limit ${exactTotalMax + 1}) as found`);
  if (bounded <= exactTotalMax) return bounded;
  return known.get(question, countAll);
}

async function count(db: Db, from: Sql): Promise<number> {
  const rows = await db.query<{ total: number }>(unprepared(sql`select count(*)::integer as total from ${from}`));
  return only(rows).total;
}

/** Large totals, for each database. */
const totals = new WeakMap<Db, FreshByKey<number>>();

/**
 * Returns the cache of totals: it never runs two counts of the same list at once, and counts an aging total again while
 * it is still valid.
 */
function totalsOf(db: Db): FreshByKey<number> {
  const known =
    totals.get(db) ??
    createFreshByKey<number>({ keptMs: totalAgeSecondsMax * 1_000, renewedAfterMs: renewedAfterSeconds * 1_000 });
  totals.set(db, known);
  return known;
}
