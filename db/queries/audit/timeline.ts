import type { Db } from "../../client.ts";
import { sql, unprepared, type Sql } from "../../sql.ts";
import * as auditSubjects from "./audit-subjects.ts";
import type { AuditSubject } from "./audit-subjects.ts";

/** An event of a timeline: an audit entry, or an event derived from a row of another table. */
export interface TimelineRow {
  at: Date;
  /** An audit event, or `profile_check`, `profile_ask`, `profile_expire` or `issuance_fail`. */
  type: string;
  /** Null if the event is not an audit entry. */
  auditId: string | null;
  userId: string | null;
  clientId: string | null;
  /** The properties of the audit entry; null if the event is not an audit entry. */
  properties: Readonly<Record<string, unknown>> | null;
  /** The serial number of the profile that the event is about. */
  serialNumber: string | null;
  error: string | null;
  /** Whether the event is about the timeline's subject; false if the subject only acted. */
  isAbout: boolean;
}

interface Reading {
  realmId: string;
  before: Date;
  at: Date;
  limit: number;
}

/**
 * Selects the latest rows of one source before an instant, and every further row with the same time as the last of
 * these rows.
 */
const latestOf = (source: Sql, { before, limit }: Reading): Sql => sql`
  (select * from (${source}) as source where at < ${before} order by at desc fetch first (${limit}) rows with ties)`;

const entryColumns = sql`
  e.at, e.event as type, e.id as "auditId", e.user_id as "userId", e.client_id as "clientId", e.properties,
  e.properties ->> 'serial' as "serialNumber", null::text as error`;

const none = sql`null::bigint as "auditId", null::bigint as "userId", null::text as "clientId", null::jsonb as properties`;

/** Selects checks, asks and expiries of profiles `c`, and failed issuances `i`. */
const unaudited = (owned: (alias: Sql) => Sql, reading: Reading): Sql => sql`
  select * from ${latestOf(
    sql`select c.last_ocsp_at as at, 'profile_check' as type, ${none}, c.serial_number as "serialNumber",
               case when c.last_ocsp_at >= c.revoked_at then 'revoked' end as error, true as "isAbout"
          from certificates c
         where ${owned(sql`c`)} and c.last_ocsp_at is not null`,
    reading,
  )} as checks
  union all
  select * from ${latestOf(
    sql`select c.last_other_ocsp_at as at, 'profile_ask' as type, ${none}, c.serial_number as "serialNumber",
               null::text as error, true as "isAbout"
          from certificates c
         where ${owned(sql`c`)} and c.last_other_ocsp_at is not null`,
    reading,
  )} as asks
  union all
  select * from ${latestOf(
    sql`select c.not_after as at, 'profile_expire' as type, ${none}, c.serial_number as "serialNumber", null::text as error,
               true as "isAbout"
          from certificates c
         where ${owned(sql`c`)} and c.revoked_at is null and c.not_after <= ${reading.at}`,
    reading,
  )} as expiries
  union all
  select * from ${latestOf(
    sql`select i.finished_at as at, 'issuance_fail' as type, ${none}, null::text as "serialNumber", i.error_code as error,
               true as "isAbout"
          from issuances i
         where ${owned(sql`i`)} and i.status = 'failed'`,
    reading,
  )} as failures`;

const about = (subject: AuditSubject, reading: Reading): Sql => sql`
  select * from ${latestOf(
    sql`select ${entryColumns}, true as "isAbout" from ${auditSubjects.entriesAbout(reading.realmId, [subject])} as e`,
    reading,
  )} as about`;

/** The sides of a timeline: events by a person, or events about them. */
export const timelineSides = ["by", "about"] as const;
export type TimelineSide = (typeof timelineSides)[number];

/**
 * Returns the events by and about a user before an instant (with `side`, only one of the two kinds), latest first: at
 * least `limit` events if there are that many.
 */
export function ofUser(
  db: Db,
  { userId, side, ...reading }: Reading & { userId: string; side?: TimelineSide | undefined },
): Promise<TimelineRow[]> {
  const subject = `user:${userId}` as const;
  const acts = sql`
    select * from ${latestOf(
      sql`select ${entryColumns}, ${auditSubjects.isAbout(sql`e`, [subject])} as "isAbout"
            from audit_entries e
           where e.realm_id = ${reading.realmId} and e.user_id = ${userId}`,
      reading,
    )} as acts`;
  if (side === "by") return read(db, acts, undefined, reading);
  const others = unaudited(
    (alias) => sql`${alias}.realm_id = ${reading.realmId} and ${alias}.user_id = ${userId}`,
    reading,
  );
  if (side === "about") return read(db, about(subject, reading), others, reading);
  const both = sql`select distinct on ("auditId") * from (${about(subject, reading)} union all ${acts}) as entries order by "auditId"`;
  return read(db, both, others, reading);
}

/** Returns the events about a guest account, as {@link ofUser} does for a user. */
export const ofGuestAccount = (
  db: Db,
  { guestAccountId, ...reading }: Reading & { guestAccountId: string },
): Promise<TimelineRow[]> =>
  read(
    db,
    about(`guest:${guestAccountId}`, reading),
    unaudited(
      (alias) => sql`${alias}.realm_id = ${reading.realmId} and ${alias}.guest_account_id = ${guestAccountId}`,
      reading,
    ),
    reading,
  );

const read = (db: Db, entries: Sql, others: Sql | undefined, { limit }: Reading): Promise<TimelineRow[]> =>
  db.query<TimelineRow>(
    unprepared(sql`
      select *
        from (select * from (${entries}) as entries ${others === undefined ? sql`` : sql`union all ${others}`}) as found
       order by at desc
       fetch first (${limit}) rows with ties
    `),
  );
