import type { Actor, AuditEvent } from "../../../domain/audit/audit.ts";
import type { ExportedEntry } from "../../../domain/audit/export.ts";
import { only, type Db } from "../../client.ts";
import { pageOf } from "../../list.ts";
import { all, when, type Page, type PageRequest } from "../../page.ts";
import { sql, type Sql } from "../../sql.ts";
import * as found from "../finding/found.ts";
import type { Searching } from "../finding/found.ts";
import * as auditSubjects from "./audit-subjects.ts";
import type { AuditSubject } from "./audit-subjects.ts";

export interface NewAuditEntry {
  realmId: string;
  event: AuditEvent;
  actor: Actor;
  at: Date;
  /** The details of the event, such as ids of the subjects, and settings before and after; never a secret. */
  properties: Readonly<Record<string, unknown>>;
}

/** Appends one entry. Call in the transaction of the change, so change and entry are committed together. */
export async function record(tx: Db, { realmId, event, actor, at, properties }: NewAuditEntry): Promise<void> {
  await tx.query(sql`
    insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
    values (${realmId}, ${at}, ${event}, ${actor.userId}, ${actor.clientId}, ${JSON.stringify(properties)}::jsonb)
  `);
}

const revocationEvents = [
  "profile_revoke",
  "guest_profile_revoke",
  "infrastructure_profile_revoke",
  "guest_account_revoke",
  "user_offboard",
] as const satisfies AuditEvent[];

/**
 * Counts how often a user removed others' access within the last hour, `max` at most. Concurrent calls for the same
 * user wait until this transaction ends, so each call counts the removals of the previous one.
 */
export async function countRevocationsBy(
  tx: Db,
  { realmId, userId, at, max }: { realmId: string; userId: string; at: Date; max: number },
): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('revocations by', ${userId}::bigint))`);
  const { revoked } = only(
    await tx.query<{ revoked: number }>(sql`
      select count(*)::integer as revoked
        from (select from audit_entries e
               where e.realm_id = ${realmId}
                 and e.user_id = ${userId}
                 and e.at > ${at}::timestamptz - interval '1 hour'
                 and e.event = any(${revocationEvents}::text[])
                 and e.properties ->> 'user' is distinct from ${userId}
               limit ${max}) found
    `),
  );
  return revoked;
}

export interface AuditEntry {
  id: string;
  realmId: string;
  at: Date;
  event: string;
  userId: string | null;
  clientId: string | null;
  /** The text of a JSON object. */
  properties: string;
}

export const auditSortKeys = ["date"] as const;
export type AuditSortKey = (typeof auditSortKeys)[number];

export interface AuditFilter {
  event: AuditEvent[];
  minDate: Date;
  maxDate: Date;
  /** The actor. */
  user: string;
  client: string;
  /** Matches entries about any of these subjects. */
  about: AuditSubject[];
  /** The entries with these ids. */
  id: string[];
  /** The bulk job that wrote the entry, or that the entry is about. */
  job: string;
  /** If false, each bulk job has only one entry in the list: its end or, if the job has not ended, its beginning. */
  jobSteps: boolean;
}

/** The filters of a list, and the text of a search. */
export interface AuditSearchFilter extends AuditFilter {
  /** The text to find, as {@link found.isFoundAuditEntry} defines. */
  text: string;
}

/**
 * Up to this many entries that match a subject, a bulk job or a text are sorted in a few milliseconds; with more, a
 * scan in date order finds a page soon.
 */
const gatheredMax = 5_000;

/**
 * Matches the entries outside bulk jobs, and one entry for each bulk job. The first condition is the same as the
 * index's condition.
 */
const isLine = sql`
  (e.properties ->> 'job' is null or e.event in ('job_create', 'job_finish'))
  and (e.event <> 'job_create'
       or not exists (select from audit_entries f
                       where f.realm_id = e.realm_id and f.properties ->> 'job' = e.properties ->> 'job' and f.event = 'job_finish'))`;

type AuditSearch = Searching & { text: string };

const matching = (
  realmId: string,
  filter: Partial<AuditFilter>,
  search?: AuditSearch,
  isFound: (search: AuditSearch) => Sql = found.isFoundAuditEntry,
): Sql =>
  all([
    sql`e.realm_id = ${realmId}`,
    when(filter.event, (events) =>
      events.length === 1 ? sql`e.event = ${events[0]}` : sql`e.event = any(${events}::text[])`,
    ),
    when(filter.minDate, (bound) => sql`e.at >= ${bound}`),
    when(filter.maxDate, (bound) => sql`e.at <= ${bound}`),
    when(filter.user, (userId) => sql`e.user_id = ${userId}`),
    when(filter.client, (clientId) => sql`e.client_id = ${clientId}`),
    when(filter.about, (subjects) => auditSubjects.isAbout(sql`e`, subjects)),
    when(filter.id, (ids) => sql`e.id = any(${ids}::bigint[])`),
    when(filter.job, (job) => sql`e.properties ->> 'job' = ${job}`),
    filter.jobSteps === false ? isLine : undefined,
    when(search, isFound),
  ]);

export const list = (
  db: Db,
  { page, ...searching }: Searching & { page: PageRequest<AuditSearchFilter, AuditSortKey> },
): Promise<Page<AuditEntry>> => {
  const { realmId, finds } = searching;
  const { text, ...filter } = page.filter;
  const search = text === undefined ? undefined : { ...searching, text };
  return pageOf<AuditEntry, AuditSortKey>(db, {
    page,
    key: ["audit entries", realmId, ...(finds ?? [])],
    from: sql`audit_entries e`,
    matching: matching(realmId, filter, search),
    few: search && matching(realmId, filter, search, found.isAmongFewAuditEntries),
    ...((filter.about ?? filter.job ?? text) && {
      gathered: { columns: sql`e.id, e.at`, as: sql`e`, max: gatheredMax },
    }),
    id: sql`e.id`,
    newestFirst: sql`e.at`,
    sortedBy: { date: sql`e.at` },
    items: {
      columns: sql`e.id, e.realm_id as "realmId", e.at, e.event, e.user_id as "userId", e.client_id as "clientId",
                   e.properties::text as properties`,
      join: sql`join audit_entries e on e.id = page.id`,
    },
  });
};

/**
 * Returns whether earlier versions wrote people's ids into the realm's entries. Checks the oldest `user_create` entry,
 * because no earlier entry can name a user.
 */
export async function nameSomebody(db: Db, realmId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select
      from (select properties from audit_entries where realm_id = ${realmId} and event = 'user_create' order by at, id limit 1) e
     where e.properties ? 'pairwiseID'
  `);
  return rows.length > 0;
}

/** The chained fields as text; dates in milliseconds, or in microseconds if the microseconds are not zero. */
export const chainedColumns = sql`
  e.id, e.realm_id as realm, e.event, e.user_id as "user", e.client_id as client, e.properties::text as properties,
  coalesce(regexp_replace(to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '(\\.\\d{3})000$', '\\1') || 'Z',
           e.at::text) as date`;

/**
 * Selects audit entry `e` with this id. Looks up each entry separately: otherwise fresh or old statistics can make
 * Postgres read all entries of the realm for one page.
 */
export const entryOf = (id: Sql): Sql => sql`lateral (select * from audit_entries where id = ${id} offset 0) e`;

interface ExportPage {
  realmId: string;
  filter: Partial<AuditFilter>;
  search?: AuditSearch | undefined;
}

/** Returns the matching entries between two positions of the chain, in chain order. */
export const sealedBetween = (
  db: Db,
  { realmId, filter, search, after, to }: ExportPage & { after: number; to: number },
): Promise<ExportedEntry[]> =>
  db.query<ExportedEntry>(sql`
    select ${chainedColumns}, s.position::float8 as position, encode(s.hash, 'hex') as hash
      from audit_seals s
      join ${entryOf(sql`s.entry_id`)} on true
     where s.realm_id = ${realmId}
       and s.position > ${after}::bigint
       and s.position <= ${to}::bigint
       and ${matching(realmId, filter, search)}
     order by s.position
  `);

/**
 * Returns, in order, the ids above `afterId` of the entries beyond a position of the chain, whether sealed in the
 * meantime or not. The sealed and the unsealed part each have their own limit, so a long queue is not read again for
 * every page.
 */
export async function idsBeyond(
  db: Db,
  { realmId, position, afterId, limit }: { realmId: string; position: number; afterId: string; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    (select entry_id as id
       from audit_unsealed
      where realm_id = ${realmId}
        and entry_id > ${afterId}::bigint
      order by entry_id
      limit ${limit})
    union
    (select entry_id
       from audit_seals
      where realm_id = ${realmId}
        and position > ${position}::bigint
        and entry_id > ${afterId}::bigint
      order by entry_id
      limit ${limit})
    order by id
    limit ${limit}
  `);
  return rows.map(({ id }) => id);
}

/** Returns the matching entries with these ids, in the order of their ids. Position and hash are null. */
export const unplaced = (
  db: Db,
  { realmId, filter, search, ids }: ExportPage & { ids: readonly string[] },
): Promise<ExportedEntry[]> =>
  db.query<ExportedEntry>(sql`
    select ${chainedColumns}, null::float8 as position, null::text as hash
      from unnest(${ids}::bigint[]) as x (id)
      join ${entryOf(sql`x.id`)} on true
     where ${matching(realmId, filter, search)}
     order by e.id
  `);

/** Returns the ids of the exported entries that still exist unchanged: with the same id, date and event. */
export async function findPresent(
  db: Db,
  { realmId, entries }: { realmId: string; entries: readonly { id: string; date: string; event: string }[] },
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select e.id
      from unnest(${entries.map(({ id }) => id)}::bigint[], ${entries.map(({ date }) => date)}::timestamptz[],
                  ${entries.map(({ event }) => event)}::text[]) as x (id, at, event)
      join audit_entries e on e.id = x.id and e.at = x.at and e.event = x.event
     where e.realm_id = ${realmId}
  `);
  return new Set(rows.map(({ id }) => id));
}
