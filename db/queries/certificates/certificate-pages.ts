import type { DeviceType } from "../../../domain/certificate/device.ts";
import { meaningsOf } from "../../../domain/people/search-text.ts";
import type { Db } from "../../client.ts";
import { pageOf, type List, type Rows } from "../../list.ts";
import { all, containsText, serialContains, when, type Page, type PageRequest } from "../../page.ts";
import { isActive } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";
import * as found from "../finding/found.ts";
import type { Searching } from "../finding/found.ts";
import * as matches from "../finding/matches.ts";
import * as certificates from "./certificates.ts";
import type { Certificate } from "./certificates.ts";

/** Pages of profiles: each kind has a list, with separate sort and filter keys. */

export const profileSortKeys = ["serial", "createtime", "expirationtime", "lastlogin"] as const;
export type ProfileSortKey = (typeof profileSortKeys)[number];

/** The sort keys of a list that also contains revoked profiles. */
export const realmProfileSortKeys = [...profileSortKeys, "revoketime"] as const;
export type RealmProfileSortKey = (typeof realmProfileSortKeys)[number];

/**
 * The states by which a realm's list of profiles can be filtered; without a filter the list contains active profiles.
 */
export const listedProfileStates = ["active", "revoked", "all"] as const;

/** The filters for users' profiles. */
export interface ActiveProfileFilter {
  authable: boolean;
  minCreated: Date;
  maxCreated: Date;
  minLastLogin: Date;
  maxLastLogin: Date;
  minExpirationTime: Date;
  maxExpirationTime: Date;
  deviceType: DeviceType;
  serials: readonly string[];
  /**
   * The text to search for, as in {@link found.isFoundProfile}; the list of one user searches only the profiles, not
   * the owner.
   */
  text: string;
}

/** The filters for the profiles of all users of a realm. */
export interface RealmProfileFilter extends ActiveProfileFilter {
  state: (typeof listedProfileStates)[number];
}

/** The filters for a list that also contains profiles that are not active. */
export interface ProfileFilter extends ActiveProfileFilter {
  /** True: only revoked or expired profiles; false: only active profiles. */
  invalid: boolean;
}

/** Returns a page of a user's profiles; `search` matches inside the serial number. */
export const pageOfUser = (
  db: Db,
  {
    realmId,
    userId,
    at,
    page,
  }: { realmId: string; userId: string; at: Date; page: PageRequest<ProfileFilter, ProfileSortKey> },
): Promise<Page<Certificate>> =>
  pageOfCertificates(db, {
    page,
    key: ["user profiles", realmId, userId],
    matching: all([
      sql`c.realm_id = ${realmId}`,
      sql`c.user_id = ${userId}`,
      ...profileConditions(page),
      when(page.filter.text, (text) => matches.ofFewProfiles(meaningsOf(text))),
      when(page.filter.invalid, (is) => (is ? sql`not ${isActive(sql`c`, at)}` : isActive(sql`c`, at))),
    ]),
    sortedBy: profileSortColumns,
  });

/** A selection from the list of active profiles. */
export type ActiveProfileSelection = Searching & Pick<PageRequest<ActiveProfileFilter>, "search" | "filter">;

/**
 * Returns the active profiles `c` of this selection, on all its pages. Profiles that match a text are looked up by id,
 * because only `certificates` has an index of ids.
 */
export const selectedActive = ({ search, filter, ...searching }: ActiveProfileSelection): Rows => {
  const { realmId, at } = searching;
  const { text } = filter;
  const conditions = [sql`c.realm_id = ${realmId}`, ...profileConditions({ search, filter })];
  return text === undefined
    ? { from: sql`active_profiles c`, matching: all([...conditions, sql`c.not_after > ${at}`]) }
    : {
        from: sql`certificates c`,
        matching: all([
          ...conditions,
          sql`c.kind = 'user'`,
          isActive(sql`c`, at),
          found.isFoundProfile({ ...searching, text }),
        ]),
      };
};

interface RealmPage extends Searching {
  page: PageRequest<RealmProfileFilter, RealmProfileSortKey>;
}

/**
 * Returns a page of the profiles of all users of a realm: active, revoked or all; `search` matches inside the serial
 * number.
 */
export function pageOfRealm(db: Db, asked: RealmPage): Promise<Page<Certificate>> {
  switch (asked.page.filter.state) {
    case "all":
      return pageOfAll(db, asked);
    case "revoked":
      return pageOfRevoked(db, asked);
    default:
      return pageOfActive(db, asked);
  }
}

const pageOfAll = (db: Db, { page, ...searching }: RealmPage): Promise<Page<Certificate>> =>
  pageOfCertificates(db, {
    page,
    key: ["all profiles", searching.realmId, ...(searching.finds ?? [])],
    matching: all([
      sql`c.realm_id = ${searching.realmId}`,
      sql`c.kind = 'user'`,
      ...profileConditions(page),
      when(page.filter.text, (text) => found.isFoundProfile({ ...searching, text })),
    ]),
    sortedBy: { ...profileSortColumns, revoketime: { nullable: sql`c.revoked_at` } },
    ...gatheredByText(page),
  });

/**
 * Returns a page of revoked profiles, newest revocation first: the order of an index that contains revoked profiles of
 * every kind.
 */
const pageOfRevoked = (db: Db, { page, ...searching }: RealmPage): Promise<Page<Certificate>> =>
  pageOfCertificates(db, {
    page,
    key: ["revoked profiles", searching.realmId, ...(searching.finds ?? [])],
    matching: all([
      sql`c.realm_id = ${searching.realmId}`,
      sql`c.kind = 'user'`,
      sql`c.revoked_at is not null`,
      ...profileConditions(page),
      when(page.filter.text, (text) => found.isFoundProfile({ ...searching, text })),
    ]),
    newestFirst: sql`c.revoked_at`,
    sortedBy: { ...profileSortColumns, revoketime: sql`c.revoked_at` },
    ...gatheredByText(page),
  });

function pageOfActive(db: Db, { page, ...searching }: RealmPage): Promise<Page<Certificate>> {
  const { realmId, finds } = searching;
  const { search, filter } = page;
  const asked = selectedActive({ ...searching, search, filter });
  return pageOfCertificates(db, {
    page,
    key: ["active profiles", realmId, ...(finds ?? [])],
    from: asked.from,
    matching: all([asked.matching, ...impliedBounds(realmId, page)]),
    counted: asked,
    // Active profiles have no time of revocation: they keep the order in which they were created.
    sortedBy: { ...profileSortColumns, revoketime: sql`c.created_at` },
    ...gatheredAcross(page),
    ...gatheredByText(page),
  });
}

/** Returns the key by which the list is sorted first, and the bounds for the creation and the end of its profiles. */
function datesOf({ filter, sort }: RealmPage["page"]) {
  return {
    firstBy: sort[0]?.key ?? "createtime",
    // lastLogin is a placeholder that equals the creation time.
    created: { from: filter.minCreated ?? filter.minLastLogin, to: filter.maxCreated ?? filter.maxLastLogin },
    ending: { from: filter.minExpirationTime, to: filter.maxExpirationTime },
  };
}

/**
 * Derives a bound for the date that sorts the list from a bound for the other date: the time between creation and end
 * of a realm's profiles has a minimum and a maximum in days. Without the derived bound, Postgres first reads all rows
 * that are out of bounds.
 */
function impliedBounds(realmId: string, page: RealmPage["page"]): readonly (Sql | undefined)[] {
  const { firstBy, created, ending } = datesOf(page);
  const span = (days: Sql): Sql =>
    sql`(select ${days} from profile_spans where realm_id = ${realmId}) * interval '24 hours'`;
  const shortest = span(sql`shortest_days`);
  const longest = span(sql`longest_days`);
  if (firstBy === "serial") return [];
  return firstBy === "expirationtime"
    ? [
        when(created.from, (bound) => sql`c.not_after >= ${bound}::timestamptz + ${shortest}`),
        when(created.to, (bound) => sql`c.not_after <= ${bound}::timestamptz + ${longest}`),
      ]
    : [
        when(ending.from, (bound) => sql`c.created_at >= ${bound}::timestamptz - ${longest}`),
        when(ending.to, (bound) => sql`c.created_at <= ${bound}::timestamptz - ${shortest}`),
      ];
}

/**
 * Gathers rows if one date bounds the list and the other date sorts it: the two correlate, so rows within bounds lie
 * far from one end of the order.
 */
function gatheredAcross(page: RealmPage["page"]): Pick<List<RealmProfileSortKey>, "gathered"> {
  if (page.sort.some(({ key }) => key === "serial")) return {};
  const { firstBy, created, ending } = datesOf(page);
  const { from, to } = firstBy === "expirationtime" ? created : ending;
  if (from === undefined && to === undefined) return {};
  const columns = sql`c.id, c.created_at, c.not_after`;
  const reading = from !== undefined && to !== undefined ? undefined : from === undefined ? "desc" : "asc";
  return { gathered: { columns, as: sql`c`, max: gatheredMax, reading } };
}

/** Collects the matches of a text before sorting: they may be few, anywhere in the order. */
const gatheredByText = ({ filter }: RealmPage["page"]): Pick<List<RealmProfileSortKey>, "gathered"> =>
  filter.text === undefined
    ? {}
    : {
        gathered: {
          columns: sql`c.id, c.created_at, c.not_after, c.serial_number, c.revoked_at`,
          as: sql`c`,
          max: gatheredMax,
        },
      };

/** At most this many rows are sorted for one page; among more rows, a page is found soon without sorting. */
const gatheredMax = 150_000;

const profileSortColumns: Record<ProfileSortKey, Sql> = {
  serial: sql`c.serial_number`,
  createtime: sql`c.created_at`,
  expirationtime: sql`c.not_after`,
  lastlogin: sql`c.created_at`,
};

const profileConditions = ({
  search,
  filter,
}: Pick<PageRequest<ActiveProfileFilter>, "search" | "filter">): (Sql | undefined)[] => [
  when(search, (text) => serialContains(sql`c.serial_number`, text)),
  when(filter.authable, (is) => sql`c.authable = ${is}`),
  when(filter.minCreated, (bound) => sql`c.created_at >= ${bound}`),
  when(filter.maxCreated, (bound) => sql`c.created_at <= ${bound}`),
  // lastLogin is a placeholder that equals the creation time.
  when(filter.minLastLogin, (bound) => sql`c.created_at >= ${bound}`),
  when(filter.maxLastLogin, (bound) => sql`c.created_at <= ${bound}`),
  when(filter.minExpirationTime, (bound) => sql`c.not_after >= ${bound}`),
  when(filter.maxExpirationTime, (bound) => sql`c.not_after <= ${bound}`),
  when(filter.deviceType, (type) => sql`c.device_type = ${type}`),
  when(filter.serials, (serials) => sql`c.serial_number = any(${serials}::text[])`),
];

export const guestProfileSortKeys = ["serial", "creationdate"] as const;
export type GuestProfileSortKey = (typeof guestProfileSortKeys)[number];

export interface GuestProfileFilter {
  /** True: only revoked or expired profiles; false: only active profiles. */
  invalid: boolean;
  minCreateTime: Date;
  maxCreateTime: Date;
  /** A text that the name or the serial number contains, or that the identity begins with. */
  text: string;
}

/** Returns a page of a guest account's profiles; `search` matches inside the serial number. */
export const pageOfGuestAccount = (
  db: Db,
  {
    realmId,
    guestAccountId,
    at,
    page,
  }: {
    realmId: string;
    guestAccountId: string;
    at: Date;
    page: PageRequest<GuestProfileFilter, GuestProfileSortKey>;
  },
): Promise<Page<Certificate>> =>
  pageOfCertificates(db, {
    page,
    key: ["guest profiles", realmId, guestAccountId],
    matching: all([
      sql`c.realm_id = ${realmId}`,
      sql`c.guest_account_id = ${guestAccountId}`,
      when(page.search, (text) => serialContains(sql`c.serial_number`, text)),
      when(page.filter.text, (text) => matches.ofFewProfiles(meaningsOf(text))),
      when(page.filter.invalid, (is) => (is ? sql`not ${isActive(sql`c`, at)}` : isActive(sql`c`, at))),
      when(page.filter.minCreateTime, (bound) => sql`c.created_at >= ${bound}`),
      when(page.filter.maxCreateTime, (bound) => sql`c.created_at <= ${bound}`),
    ]),
    sortedBy: { serial: sql`c.serial_number`, creationdate: sql`c.created_at` },
  });

export const infrastructureProfileSortKeys = ["serial", "creation_date", "expiration_date"] as const;
export type InfrastructureProfileSortKey = (typeof infrastructureProfileSortKeys)[number];

export interface InfrastructureProfileFilter {
  /** True: only revoked profiles; false: only unrevoked profiles. */
  invalid: boolean;
  minCreateTime: Date;
  maxCreateTime: Date;
  minExpirationTime: Date;
  maxExpirationTime: Date;
  /** A text that the name or the serial number contains, or that the identity begins with. */
  text: string;
}

/** Returns a page of a realm's infrastructure profiles; `search` matches inside the name and the serial number. */
export const pageOfInfrastructure = (
  db: Db,
  { realmId, page }: { realmId: string; page: PageRequest<InfrastructureProfileFilter, InfrastructureProfileSortKey> },
): Promise<Page<Certificate>> =>
  pageOfCertificates(db, {
    page,
    key: ["infrastructure profiles", realmId],
    matching: all([
      sql`c.realm_id = ${realmId}`,
      sql`c.kind = 'infrastructure'`,
      when(
        page.search,
        (text) => sql`(${containsText(sql`lower(c.name)`, text)} or ${serialContains(sql`c.serial_number`, text)})`,
      ),
      when(page.filter.text, (text) => matches.ofFewProfiles(meaningsOf(text))),
      when(page.filter.invalid, (is) => (is ? sql`c.revoked_at is not null` : sql`c.revoked_at is null`)),
      when(page.filter.minCreateTime, (bound) => sql`c.created_at >= ${bound}`),
      when(page.filter.maxCreateTime, (bound) => sql`c.created_at <= ${bound}`),
      when(page.filter.minExpirationTime, (bound) => sql`c.not_after >= ${bound}`),
      when(page.filter.maxExpirationTime, (bound) => sql`c.not_after <= ${bound}`),
    ]),
    sortedBy: {
      serial: sql`c.serial_number`,
      creation_date: sql`c.created_at`,
      expiration_date: sql`c.not_after`,
    },
  });

const pageOfCertificates = <SortKey extends string>(
  db: Db,
  list: Pick<List<SortKey>, "page" | "key" | "matching" | "sortedBy"> & Partial<List<SortKey>>,
): Promise<Page<Certificate>> =>
  pageOf<Certificate, SortKey>(db, {
    from: sql`certificates c`,
    newestFirst: sql`c.created_at`,
    ...list,
    id: sql`c.id`,
    items: { columns: certificates.columns, join: sql`join certificates c on c.id = page.id` },
  });
