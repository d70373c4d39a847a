import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import { AuditEntryID, BulkJobID } from "../../../domain/ids.ts";
import type { SearchFind } from "../../../domain/search-places.ts";
import { isLongEnough, meaningsOf, type SearchText } from "../../../domain/people/search-text.ts";
import { serialContains } from "../../page.ts";
import { join, sql, type Sql } from "../../sql.ts";
import * as matches from "./matches.ts";

/** The list that is searched, and the caller's rights. */
export interface Searching {
  realmId: string;
  at: Date;
  /** The kinds of match that the caller may use; omitted: only the rows' own texts. */
  finds?: ReadonlySet<SearchFind> | undefined;
}

interface ListSearch extends Searching {
  text: string;
}

interface Sought extends Searching {
  searched: SearchText;
  finds: ReadonlySet<SearchFind>;
}

/**
 * Reads a list's search. A caller without kinds of match, or a text too short for the search over everything, finds
 * only the list's own rows, by their own texts.
 */
function read({ text, finds, ...rest }: ListSearch, own: SearchFind): Sought {
  const searched = meaningsOf(text);
  return { ...rest, searched, finds: finds !== undefined && isLongEnough(searched) ? finds : new Set([own]) };
}

/**
 * Rows that belong to a profile are found by a part of its serial number only if the part has this many digits: fewer
 * digits occur in too many numbers by chance.
 */
const connectingDigitsMin = 8;

/** The minimum number of digits of a serial number in the search of a list of profiles. */
const ownDigitsMin = 1;

const union = (statements: readonly Sql[]): Sql =>
  statements.length === 0 ? sql`select null::bigint where false` : join(statements, sql` union all `);

const selectPeople = (columns: Sql, { realmId, searched }: Sought): Sql[] =>
  matches.ofPerson(searched).map((is) => sql`select ${columns} from users u where u.realm_id = ${realmId} and ${is}`);

const selectProfiles = (
  columns: Sql,
  { kinds, digitsMin = connectingDigitsMin, ...sought }: Sought & { kinds: readonly ProfileKind[]; digitsMin?: number },
): Sql[] => matches.selectProfiles(columns, { ...sought, kinds, digitsMin });

const when = (does: boolean, statements: () => Sql[]): Sql[] => (does ? statements() : []);

/**
 * Returns the condition that a search finds user `u`: by what is known about the person, or by one of their profiles.
 */
export function isFoundUser(search: ListSearch): Sql {
  const sought = read(search, "person");
  if (!sought.finds.has("profile")) return matches.anyOf(matches.ofPerson(sought.searched));
  return sql`u.id in (${union(peopleAndOwners(sought))})`;
}

/** Selects the ids of people found, and of the owners of profiles found. */
const peopleAndOwners = (sought: Sought): Sql[] => [
  ...when(sought.finds.has("person"), () => selectPeople(sql`u.id`, sought)),
  ...when(sought.finds.has("profile"), () => selectProfiles(sql`c.user_id`, { ...sought, kinds: ["user"] })),
];

/**
 * Returns the condition that a search finds profile `c` of a user: by what is known about the profile, or about its
 * owner.
 */
export function isFoundProfile(search: ListSearch): Sql {
  const sought = read(search, "profile");
  const { realmId, searched, finds } = sought;
  return sql`c.id in (${union([
    ...selectProfiles(sql`c.id`, { ...sought, kinds: ["user"], digitsMin: ownDigitsMin }),
    ...when(/^\d+$/.test(searched.whole) && searched.digits === undefined, () => [
      sql`select a.id from active_profiles a
           where a.realm_id = ${realmId} and ${serialContains(sql`a.serial_number`, searched.whole)}`,
    ]),
    ...when(finds.has("person"), () => [
      sql`select o.id from certificates o
           where o.realm_id = ${realmId} and o.user_id in (${union(selectPeople(sql`u.id`, sought))})`,
    ]),
  ])})`;
}

/** Returns the condition that a search finds guest account `g`: by its name or id, or by one of its profiles. */
export function isFoundGuestAccount(search: ListSearch): Sql {
  const sought = read(search, "guestAccount");
  return matches.anyOf([
    matches.ofGuestAccount(sought.searched),
    ...when(sought.finds.has("guestProfile"), () => [
      sql`g.id in (${union(selectProfiles(sql`c.guest_account_id`, { ...sought, kinds: ["guest"] }))})`,
    ]),
  ]);
}

/**
 * Returns the condition that a search finds job `j`: by its name or id, its creator, or the people that its rows are
 * about. Matches in other tables are gathered as arrays first: for a subquery Postgres may read the whole table.
 */
export function isFoundJob(search: ListSearch): Sql {
  const sought = read(search, "job");
  const { realmId, searched, finds } = sought;
  const people = peopleAndOwners(sought);
  return matches.anyOf([
    matches.ofJob(searched),
    ...when(people.length > 0, () => [
      sql`j.id = any(array(select r.job_id from job_rows r where r.user_id = any(array(${union(people)}))))`,
    ]),
    ...when(finds.has("person"), () => [
      sql`j.created_by_user_id = any(array(${union(selectPeople(sql`u.id`, sought))}))`,
    ]),
    ...when(finds.has("application"), () => [
      sql`j.created_by_client_id = any(array(select a.client_id from applications a
                                             where a.realm_id = ${realmId} and ${matches.ofApplication(searched)}))`,
    ]),
  ]);
}

/** The kind of profile that each kind of match finds. */
const kindsFound = { profile: "user", guestProfile: "guest", infrastructureProfile: "infrastructure" } as const;

/** The shortest text that is a whole serial number. */
const serialLengthMin = 20;

/** Returns the condition that a search finds audit entry `e`: see {@link selectAuditEntries}. */
export const isFoundAuditEntry = (search: ListSearch): Sql => sql`e.id in (${selectAuditEntries(search)})`;

/**
 * Returns the condition of {@link isFoundAuditEntry} in a form for few entries. Postgres expects a search to find half
 * of a log and would read the whole log; it expects ten rows from an array.
 */
export const isAmongFewAuditEntries = (search: ListSearch): Sql =>
  sql`e.id in (select unnest(array(${selectAuditEntries(search)})))`;

/**
 * Selects the ids of the audit entries that a search finds: by the actor, by the subjects, by the bulk job, or by the
 * entry's own id. Whole serial numbers and job ids need no further rights: the entries contain them. Uses arrays as
 * {@link isFoundJob} does.
 */
function selectAuditEntries({ text, ...search }: ListSearch): Sql {
  const searched = meaningsOf(text);
  const { realmId, finds: mayFind = new Set() } = search;
  const finds = isLongEnough(searched) ? mayFind : new Set<SearchFind>();
  const sought: Sought = { ...search, searched, finds };
  const kinds = Object.entries(kindsFound).flatMap(([find, kind]) => (finds.has(find as SearchFind) ? [kind] : []));
  const applications = sql`from applications a where a.realm_id = ${realmId} and ${matches.ofApplication(searched)}`;
  const serials = searched.serials.filter((serial) => serial.length >= serialLengthMin);
  const jobId = BulkJobID.safeParse(searched.whole).data;
  const entryId = AuditEntryID.safeParse(searched.whole).data;
  const people = sql`with people as materialized (${union(
    when(finds.has("person"), () => selectPeople(sql`u.id`, sought)),
  )})`;
  const subjects = [
    ...when(finds.has("person"), () => [sql`select 'user:' || p.id from people p`]),
    ...when(kinds.length > 0, () => selectProfiles(sql`'profile:' || c.serial_number`, { ...sought, kinds })),
    ...when(finds.has("guestAccount"), () => [
      sql`select 'guest:' || g.id from guest_accounts g
           where g.realm_id = ${realmId} and ${matches.ofGuestAccount(searched)}`,
    ]),
    ...when(finds.has("application"), () => [sql`select 'application:' || a.client_id ${applications}`]),
    ...when(serials.length > 0, () => [sql`select 'profile:' || s from unnest(${serials}::text[]) s`]),
  ];
  const entries = (is: Sql): Sql => sql`select f.id from audit_entries f where f.realm_id = ${realmId} and ${is}`;
  const statements = union([
    ...when(subjects.length > 0, () => [selectEntriesAbout(realmId, union(subjects))]),
    ...when(finds.has("person"), () => [entries(sql`f.user_id = any(array(select p.id from people p))`)]),
    ...when(finds.has("application"), () => [
      entries(sql`f.client_id = any(array(select a.client_id ${applications}))`),
    ]),
    ...when(finds.has("job"), () => [
      entries(sql`f.properties ->> 'job' = any(array(
                    select j.id::text from jobs j where j.realm_id = ${realmId} and ${matches.ofJob(searched)}))`),
    ]),
    ...when(jobId !== undefined, () => [entries(sql`f.properties ->> 'job' = ${jobId}`)]),
    ...when(entryId !== undefined, () => [entries(sql`f.id = ${entryId}`)]),
  ]);
  return sql`${people} ${statements}`;
}

/**
 * Selects the ids of a realm's entries about any of the subjects that a statement selects. Looks up each subject
 * separately, because one lookup of a long list is slower. Serial numbers have their own collation; with that collation
 * Postgres would read every entry.
 */
const selectEntriesAbout = (realmId: string, selectSubjects: Sql): Sql => sql`
  select f.id
    from unnest(array(${selectSubjects})) as subject
    join lateral (select id from audit_entries
                   where realm_id = ${realmId} and audit_subjects(properties) @> array[subject collate "default"] offset 0) f on true`;
