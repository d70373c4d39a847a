import type { Actor } from "../../domain/audit.ts";
import type { DeviceType } from "../../domain/device.ts";
import { revocationEvent, type ProfileKind } from "../../domain/profile.ts";
import type { RevocationReason } from "../../domain/revocation.ts";
import { first, only, type Db } from "../client.ts";
import { all, containing, orderBy, when, type Page, type PageRequest } from "../page.ts";
import { sql } from "../sql.ts";
import * as audit from "./audit-entries.ts";

/** A profile of any kind, without its certificate. */
export interface Certificate {
  id: string;
  issuanceId: string;
  serialNumber: string;
  kind: ProfileKind;
  userId: string | null;
  guestAccountId: string | null;
  name: string;
  description: string | null;
  deviceType: DeviceType | null;
  authable: boolean;
  identity: string;
  createdAt: Date;
  notAfter: Date;
  revokedAt: Date | null;
  revocationReason: RevocationReason | null;
  lastOcspAt: Date | null;
}

const columns = sql`
  c.id, c.issuance_id as "issuanceId", c.serial_number as "serialNumber", c.kind, c.user_id as "userId",
  c.guest_account_id as "guestAccountId", c.name, c.description, c.device_type as "deviceType", c.authable, c.identity,
  c.created_at as "createdAt", c.not_after as "notAfter", c.revoked_at as "revokedAt",
  c.revocation_reason as "revocationReason", c.last_ocsp_at as "lastOcspAt"`;

/** One profile of the realm by its serial number. */
export async function findBySerialNumber(
  db: Db,
  { realmId, serialNumber, kind }: { realmId: string; serialNumber: string; kind: ProfileKind },
): Promise<Certificate | undefined> {
  return first(
    await db.query<Certificate>(sql`
      select ${columns}
        from certificates c
       where c.realm_id = ${realmId}
         and c.serial_number = ${serialNumber}
         and c.kind = ${kind}
    `),
  );
}

/** One profile of a user, active or not, by its serial number. */
export async function findOfUser(
  db: Db,
  { realmId, userId, serialNumber }: { realmId: string; userId: string; serialNumber: string },
): Promise<Certificate | undefined> {
  const found = await findBySerialNumber(db, { realmId, serialNumber, kind: "user" });
  return found?.userId === userId ? found : undefined;
}

/** A profile that its owner signs in with. */
export interface AuthableProfile {
  id: string;
  serialNumber: string;
  userId: string;
  pairwiseId: string;
  administrator: boolean;
}

/**
 * The profile of this certificate, octet for octet, if somebody of the realm may sign in with it now: a user's own,
 * meant for it, neither revoked nor outside its time, of somebody who is not offboarded.
 */
export async function findAuthable(
  db: Db,
  { realmId, serialNumber, der, at }: { realmId: string; serialNumber: string; der: Uint8Array; at: Date },
): Promise<AuthableProfile | undefined> {
  return first(
    await db.query<AuthableProfile>(sql`
      select c.id, c.serial_number as "serialNumber", c.user_id as "userId", u.pairwise_id as "pairwiseId",
             u.administrator
        from certificates c
        join users u on u.id = c.user_id
       where c.serial_number = ${serialNumber}
         and c.certificate = ${der}
         and c.realm_id = ${realmId}
         and c.kind = 'user'
         and c.authable
         and c.revoked_at is null
         and c.not_before <= ${at}
         and c.not_after > ${at}
         and u.offboarded_at is null
    `),
  );
}

/** Whether a profile's certificate is this one, octet for octet. */
export async function isSame(db: Db, { id, der }: { id: string; der: Uint8Array }): Promise<boolean> {
  const rows = await db.query(sql`select id from certificates where id = ${id} and certificate = ${der}`);
  return rows.length > 0;
}

/** The profiles that came of these issuances. */
export const listByIssuances = (db: Db, issuanceIds: readonly string[]): Promise<Certificate[]> =>
  db.query<Certificate>(sql`
    select ${columns}
      from certificates c
     where c.issuance_id = any(${issuanceIds}::uuid[])
  `);

/** Every profile of a user, newest first. */
export const listOfUser = (db: Db, { realmId, userId }: { realmId: string; userId: string }): Promise<Certificate[]> =>
  db.query<Certificate>(sql`
    select ${columns}
      from certificates c
     where c.realm_id = ${realmId}
       and c.user_id = ${userId}
     order by c.created_at desc, c.id desc
  `);

/** The profiles of a user that are neither revoked nor expired, newest first. */
export const listActiveOfUser = (
  db: Db,
  { realmId, userId, at }: { realmId: string; userId: string; at: Date },
): Promise<Certificate[]> =>
  db.query<Certificate>(sql`
    select ${columns}
      from certificates c
     where c.realm_id = ${realmId}
       and c.user_id = ${userId}
       and c.revoked_at is null
       and c.not_after > ${at}
     order by c.created_at desc, c.id desc
  `);

export const profileSortKeys = ["serial", "createtime", "expirationtime", "lastlogin"] as const;
export type ProfileSortKey = (typeof profileSortKeys)[number];

export interface ProfileFilter {
  authable: boolean;
  minCreated: Date;
  maxCreated: Date;
  minLastLogin: Date;
  maxLastLogin: Date;
  minExpirationTime: Date;
  maxExpirationTime: Date;
  deviceType: DeviceType;
  serials: readonly string[];
  /** Revoked or expired. */
  invalid: boolean;
}

/** A page of a user's profiles; `search` looks inside the serial number. */
export async function pageOfUser(
  db: Db,
  {
    realmId,
    userId,
    at,
    page,
  }: { realmId: string; userId: string; at: Date; page: PageRequest<ProfileFilter, ProfileSortKey> },
): Promise<Page<Certificate>> {
  const { filter } = page;
  const matching = all([
    sql`c.realm_id = ${realmId}`,
    sql`c.user_id = ${userId}`,
    when(page.search, (text) => sql`c.serial_number like ${containing(text)}`),
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
    when(filter.invalid, (is) =>
      is
        ? sql`(c.revoked_at is not null or c.not_after <= ${at})`
        : sql`(c.revoked_at is null and c.not_after > ${at})`,
    ),
  ]);
  const order = orderBy(
    page.sort,
    {
      serial: sql`c.serial_number`,
      createtime: sql`c.created_at`,
      expirationtime: sql`c.not_after`,
      lastlogin: sql`c.created_at`,
    },
    { newestFirst: sql`c.created_at`, id: sql`c.id` },
  );
  const [items, counted] = await Promise.all([
    db.query<Certificate>(sql`
      select ${columns} from certificates c where ${matching} ${order} limit ${page.limit} offset ${page.offset}
    `),
    db.query<{ total: number }>(sql`select count(*)::integer as total from certificates c where ${matching}`),
  ]);
  return { items, total: only(counted).total };
}

/**
 * Revokes one profile for good, with its audit entry. False when the realm has no such profile; revoking what is
 * revoked changes nothing. Call in a transaction.
 */
export async function revoke(
  tx: Db,
  request: {
    realmId: string;
    serialNumber: string;
    kind: ProfileKind;
    reason: RevocationReason;
    actor: Actor;
    at: Date;
  },
): Promise<boolean> {
  const { realmId, serialNumber, kind, reason, actor, at } = request;
  const found = await findBySerialNumber(tx, { realmId, serialNumber, kind });
  if (found === undefined) return false;

  const revoked = await tx.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    values (${found.id}, ${at}, ${reason})
    on conflict (certificate_id) do nothing
    returning certificate_id
  `);
  if (revoked.length > 0) {
    const owner = found.userId === null ? {} : { user: found.userId };
    const guestAccount = found.guestAccountId === null ? {} : { guestAccount: found.guestAccountId };
    await audit.record(tx, {
      realmId,
      event: revocationEvent[kind],
      actor,
      at,
      properties: { serial: serialNumber, name: found.name, ...owner, ...guestAccount, reason },
    });
  }
  return true;
}

/**
 * Revokes every active profile of a user for good, and answers their serial numbers. The audit entry is the caller's.
 * Call in a transaction, with the user's row locked.
 */
export async function revokeAllOfUser(
  tx: Db,
  { realmId, userId, reason, at }: { realmId: string; userId: string; reason: RevocationReason; at: Date },
): Promise<string[]> {
  const rows = await tx.query<{ serialNumber: string }>(sql`
    with active as (
      select id, serial_number
        from certificates
       where realm_id = ${realmId}
         and user_id = ${userId}
         and revoked_at is null
         and not_after > ${at}
       order by id
    ), revoked as (
      insert into revocations (certificate_id, revoked_at, reason)
      select id, ${at}, ${reason}
        from active
       order by id
      on conflict (certificate_id) do nothing
      returning certificate_id
    )
    select a.serial_number as "serialNumber"
      from active a
      join revoked r on r.certificate_id = a.id
     order by a.id
  `);
  return rows.map(({ serialNumber }) => serialNumber);
}
