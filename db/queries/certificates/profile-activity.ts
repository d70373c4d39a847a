import type { RevocationReason } from "../../../domain/certificate/revocation.ts";
import type { Db } from "../../client.ts";
import { isActive } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";
import * as certificates from "./certificates.ts";
import type { Certificate } from "./certificates.ts";
import * as auditSubjects from "../audit/audit-subjects.ts";
import type { AuditSubject } from "../audit/audit-subjects.ts";

/** A profile of any kind, with facts that can explain why its device is not on the network. */
export interface ProfileActivity extends Certificate {
  /**
   * When the profile's status was first sent to a RADIUS server, or for an infrastructure profile to any client; also
   * null if times were not recorded then.
   */
  firstOcspAt: Date | null;
  /** When the profile's status was first sent as revoked; also null if times were not recorded then. */
  firstRefusedAt: Date | null;
  /** When the profile's file was first fetched. */
  collectedAt: Date | null;
  /** Whether the profile had a file to fetch; `job`: from a bulk job, which does not record fetches of single files. */
  output: "own" | "job" | null;
  /** Serial numbers of the profile that this profile replaced, and of its newest unrevoked successor. */
  replaces: string | null;
  replacedBy: string | null;
  replacedAt: Date | null;
  /** The application that asked for the profile; null if none is recorded. */
  madeThrough: string | null;
  /** Whether a successor was ever issued, even if the successor has since been revoked. */
  wasRenewed: boolean;
  /** When the issuer's CRL expires; null: the issuer has no CRL yet. */
  listEndsAt: Date | null;
  /** When the profile's guest account ends. */
  guestExpiresAt: Date | null;
  /** When a client other than the realm's RADIUS servers last asked about the profile. */
  lastOtherOcspAt: Date | null;
}

const activities = (condition: Sql, tail: Sql): Sql => sql`
  select ${certificates.columns}, c.first_ocsp_at as "firstOcspAt", c.first_refused_at as "firstRefusedAt",
         o.collected_at as "collectedAt",
         case when o.issuance_id is null then null when o.job_id is null then 'own' else 'job' end as output,
         made.created_by_client_id as "madeThrough", p.serial_number as replaces, s.serial_number as "replacedBy", s.created_at as "replacedAt",
         s.id is not null or exists (select from issuances i
                                      where i.user_id = c.user_id
                                        and i.renews_certificate_id = c.id
                                        and i.status = 'issued') as "wasRenewed",
         l.next_update as "listEndsAt", g.expires_at as "guestExpiresAt", c.last_other_ocsp_at as "lastOtherOcspAt"
    from certificates c
    left join issuance_outputs o on o.issuance_id = c.issuance_id
    left join issuances made on made.id = c.issuance_id
    left join certificates p on p.id = made.renews_certificate_id
    left join crls l on l.issuer_id = c.issuer_id
    left join guest_accounts g on g.id = c.guest_account_id
    left join lateral (select successor.id, successor.serial_number, successor.created_at
                         from issuances i
                         join certificates successor on successor.issuance_id = i.id
                        where i.user_id = c.user_id
                          and i.renews_certificate_id = c.id
                          and i.status = 'issued'
                          and successor.revoked_at is null
                        order by successor.created_at desc, successor.id desc
                        limit 1) s on true
   where ${condition}
   ${tail}`;

/** Returns a profile of the realm, of any kind; the newest if two issuers assigned the same number. */
export async function find(
  db: Db,
  { realmId, serialNumber }: { realmId: string; serialNumber: string },
): Promise<ProfileActivity | undefined> {
  const rows = await db.query<ProfileActivity>(
    activities(
      sql`c.realm_id = ${realmId} and c.serial_number = ${serialNumber}`,
      sql`order by c.created_at desc, c.id desc limit 1`,
    ),
  );
  return rows[0];
}

/** Profiles that ended longer ago than this are not listed with the active profiles. */
const endedDaysMax = 90;

/** Lists the active and recently ended profiles of a user, newest first. */
export const listOfUser = (
  db: Db,
  { realmId, userId, at, limit }: { realmId: string; userId: string; at: Date; limit: number },
): Promise<ProfileActivity[]> =>
  db.query<ProfileActivity>(
    activities(
      sql`c.realm_id = ${realmId}
          and c.user_id = ${userId}
          and (${isActive(sql`c`, at)}
               or least(c.revoked_at, c.not_after) > ${at}::timestamptz - make_interval(days => ${endedDaysMax}))`,
      sql`order by c.created_at desc, c.id desc limit ${limit}`,
    ),
  );

/** An audit entry that ended profiles. */
export interface EndingEntry {
  id: string;
  at: Date;
  event: string;
  userId: string | null;
  clientId: string | null;
  job: string | null;
  replayed: boolean;
  /** Upkeep revoked the profiles because the file was never fetched. */
  unfetched: boolean;
  reason: RevocationReason | null;
  /** The serial numbers of the profiles that the entry names. */
  serials: string[];
}

/** Lists the entries that revoked profiles and are about any of these subjects, latest first. */
export const listEnding = (
  db: Db,
  { realmId, subjects }: { realmId: string; subjects: readonly AuditSubject[] },
): Promise<EndingEntry[]> =>
  db.query<EndingEntry>(sql`
    select e.id, e.at, e.event, e.user_id as "userId", e.client_id as "clientId", e.properties ->> 'job' as job,
           coalesce((e.properties ->> 'replayed')::boolean, false) as replayed,
           coalesce((e.properties ->> 'unfetched')::boolean, false) as unfetched,
           (e.properties ->> 'reason')::integer as reason,
           array(select substr(s, 9) from unnest(audit_subjects(e.properties)) as s where s like 'profile:%') as serials
      from ${auditSubjects.entriesAbout(realmId, subjects)} as e
     where e.event in ('profile_revoke', 'guest_profile_revoke', 'infrastructure_profile_revoke', 'user_offboard',
                       'guest_account_revoke')
     order by e.at desc, e.id desc
  `);

/** Returns the latest failed issuance of a user. */
export async function latestFailure(
  db: Db,
  { realmId, userId }: { realmId: string; userId: string },
): Promise<{ at: Date; error: string } | undefined> {
  const rows = await db.query<{ at: Date; error: string }>(sql`
    select i.finished_at as at, i.error_code as error
      from issuances i
     where i.realm_id = ${realmId}
       and i.user_id = ${userId}
       and i.status = 'failed'
     order by i.finished_at desc
     limit 1
  `);
  return rows[0];
}

/** Returns when a user last signed in, according to the audit log. */
export async function lastSignIn(
  db: Db,
  { realmId, userId }: { realmId: string; userId: string },
): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(sql`
    select max(e.at) as at
      from ${auditSubjects.entriesAbout(realmId, [`user:${userId}`])} as e
     where e.event in ('user_login', 'admin_login')
  `);
  return rows[0]?.at ?? null;
}

/** Returns the names of applications of the realm. */
export async function namesOfApplications(
  db: Db,
  { realmId, clientIds }: { realmId: string; clientIds: readonly string[] },
): Promise<Map<string, string>> {
  if (clientIds.length === 0) return new Map();
  const rows = await db.query<{ clientId: string; name: string }>(sql`
    select client_id as "clientId", name
      from applications
     where realm_id = ${realmId}
       and client_id = any(${clientIds}::text[])
  `);
  return new Map(rows.map(({ clientId, name }) => [clientId, name]));
}

/** Returns the names of profiles of the realm. */
export async function namesOfProfiles(
  db: Db,
  { realmId, serialNumbers }: { realmId: string; serialNumbers: readonly string[] },
): Promise<Map<string, string>> {
  if (serialNumbers.length === 0) return new Map();
  const rows = await db.query<{ serialNumber: string; name: string }>(sql`
    select serial_number as "serialNumber", name
      from certificates
     where realm_id = ${realmId}
       and serial_number = any(${serialNumbers}::text[])
  `);
  return new Map(rows.map(({ serialNumber, name }) => [serialNumber, name]));
}

/** A profile with its name and owner, as lists show it. */
export type Device = Pick<Certificate, "serialNumber" | "name" | "kind" | "userId" | "guestAccountId">;

/** Returns profiles of the realm of these kinds by their serial numbers; unknown serial numbers are left out. */
export const findDevices = (
  db: Db,
  {
    realmId,
    serialNumbers,
    kinds,
  }: { realmId: string; serialNumbers: readonly string[]; kinds: readonly Certificate["kind"][] },
): Promise<Device[]> =>
  serialNumbers.length === 0
    ? Promise.resolve([])
    : db.query<Device>(sql`
        select serial_number as "serialNumber", name, kind, user_id as "userId", guest_account_id as "guestAccountId"
          from certificates
         where realm_id = ${realmId}
           and serial_number = any(${serialNumbers}::text[])
           and kind = any(${kinds}::text[])
      `);
