import type { Actor } from "../../../domain/audit/audit.ts";
import type { CertificateFormat } from "../../../domain/certificate/format.ts";
import type { DeviceType, KeyType } from "../../../domain/certificate/device.ts";
import type { GuestAccountState, UserState } from "../../../domain/certificate/entitlement.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import type { IssuanceState } from "../../../domain/certificate/issuance-state.ts";
import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import { settledChannel } from "../../channels.ts";
import { first, only, type Db } from "../../client.ts";
import { abandonSerials, countOfUser, isActive, isUnsettled, replacedEnd } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";

/** The state of a user that decides whether another profile can be issued. */
export interface UserRow extends UserState {
  /** When the provider or the directory began to report that the person may not use the realm; null: they may. */
  notPermittedSince: Date | null;
  keyTypes: Partial<Record<DeviceType, KeyType>>;
}

const userColumns = sql`
  'user' as kind, u.locked_at as "lockedAt", u.offboarded_at as "offboardedAt",
  u.not_permitted_since as "notPermittedSince",
  u.profile_override as "profileOverride", r.max_profiles as "maxProfiles",
  r.max_valid_months as "validityMonths", r.key_types as "keyTypes", i.not_after as "issuerNotAfter"`;

/**
 * Locks a user's row and reads what decides whether another profile may be created. Uses two statements, because the
 * count must be taken after the lock is acquired: otherwise two concurrent requests would both fit under the limit.
 */
export async function lockOwner(
  tx: Db,
  { realmId, userId, at }: { realmId: string; userId: string; at: Date },
): Promise<UserRow | undefined> {
  // Both statements are sent together; Postgres runs them in this order, the second with a new snapshot.
  const [owners, counts] = await Promise.all([
    tx.query<Omit<UserRow, "count">>(sql`
      select ${userColumns}
        from users u
        join realms r on r.id = u.realm_id
        left join issuers i on i.realm_id = r.id and i.issuing
       where u.realm_id = ${realmId}
         and u.id = ${userId}
         for no key update of u
    `),
    tx.query<{ count: number }>(sql`select ${countOfUser(userId, at)} as count`),
  ]);
  const owner = first(owners);
  return owner === undefined ? undefined : { ...owner, count: only(counts).count };
}

/** Returns the result of {@link lockOwner} without the lock, for display: the result may change a moment later. */
export async function readOwner(
  db: Db,
  { realmId, userId, at }: { realmId: string; userId: string; at: Date },
): Promise<UserRow | undefined> {
  return first(
    await db.query<UserRow>(sql`
      select ${userColumns}, ${countOfUser(userId, at)} as count
        from users u
        join realms r on r.id = u.realm_id
        left join issuers i on i.realm_id = r.id and i.issuing
       where u.realm_id = ${realmId}
         and u.id = ${userId}
    `),
  );
}

/** The state of a guest account that decides whether another profile can be issued. */
export interface GuestAccountRow extends GuestAccountState {
  name: string;
  keyTypes: Partial<Record<DeviceType, KeyType>>;
}

const guestAccountColumns = sql`
  'guest' as kind, g.name, g.expires_at as "expiresAt", g.revoked_at as "revokedAt", g.profile_limit as "limit",
  r.max_valid_months as "validityMonths", r.key_types as "keyTypes", i.not_after as "issuerNotAfter"`;

const countOfGuestAccount = (guestAccountId: string, at: Date): Sql => sql`
  select (select count(*)
            from certificates c
           where c.guest_account_id = ${guestAccountId}
             and ${isActive(sql`c`, at)})::integer
       + (select count(*)
            from issuances i
           where i.guest_account_id = ${guestAccountId}
             and ${isUnsettled(sql`i`)})::integer as count`;

/**
 * Locks a guest account's row and reads what decides whether another profile may be created, as {@link lockOwner} does
 * for a user.
 */
export async function lockGuestAccount(
  tx: Db,
  { realmId, guestAccountId, at }: { realmId: string; guestAccountId: string; at: Date },
): Promise<GuestAccountRow | undefined> {
  const [accounts, counts] = await Promise.all([
    tx.query<Omit<GuestAccountRow, "count">>(sql`
      select ${guestAccountColumns}
        from guest_accounts g
        join realms r on r.id = g.realm_id
        left join issuers i on i.realm_id = r.id and i.issuing
       where g.realm_id = ${realmId}
         and g.id = ${guestAccountId}
         for no key update of g
    `),
    tx.query<{ count: number }>(countOfGuestAccount(guestAccountId, at)),
  ]);
  const account = first(accounts);
  return account === undefined ? undefined : { ...account, count: only(counts).count };
}

/**
 * Returns the result of {@link lockGuestAccount} without the lock, for display: the result may change a moment later.
 */
export async function readGuestAccount(
  db: Db,
  { realmId, guestAccountId, at }: { realmId: string; guestAccountId: string; at: Date },
): Promise<GuestAccountRow | undefined> {
  return first(
    await db.query<GuestAccountRow>(sql`
      select ${guestAccountColumns}, (${countOfGuestAccount(guestAccountId, at)}) as count
        from guest_accounts g
        join realms r on r.id = g.realm_id
        left join issuers i on i.realm_id = r.id and i.issuing
       where g.realm_id = ${realmId}
         and g.id = ${guestAccountId}
    `),
  );
}

export interface NewIssuance {
  id: string;
  realmId: string;
  kind: ProfileKind;
  userId: string | null;
  guestAccountId: string | null;
  name: string;
  description: string | null;
  deviceType: DeviceType | null;
  format: CertificateFormat;
  keyType: KeyType;
  csr: string | null;
  authable: boolean;
  validityMonths: number;
  at: Date;
  actor: Actor;
  /** The request that creates the issuance, for the log. */
  requestId: string;
  /** SHA-256 of the cookie by which the device is recognized. */
  deviceHash?: Uint8Array | null;
  /** The profile that the new profile replaces. */
  renewsCertificateId?: string | undefined;
}

/** Accepts a request for a certificate: once committed, the request will be settled, even if processes crash. */
export async function create(tx: Db, row: NewIssuance): Promise<void> {
  await tx.query(sql`
    insert into issuances (id, realm_id, kind, user_id, guest_account_id, name, description, device_type, format,
                           key_type, csr, authable, validity_months, created_at, created_by_user_id, created_by_client_id,
                           renews_certificate_id, request_id, device_hash)
    values (${row.id}, ${row.realmId}, ${row.kind}, ${row.userId}, ${row.guestAccountId}, ${row.name},
            ${row.description}, ${row.deviceType}, ${row.format}, ${row.keyType}, ${row.csr}, ${row.authable},
            ${row.validityMonths}, ${row.at}, ${row.actor.userId}, ${row.actor.clientId},
            ${row.renewsCertificateId ?? null}, ${row.requestId}, ${row.deviceHash ?? null})
  `);
}

/** An issuance and, once it is issued, its sealed output. */
export interface IssuanceResult {
  id: string;
  realmId: string;
  kind: ProfileKind;
  state: IssuanceState;
  createdAt: Date;
  finishedAt: Date | null;
  errorCode: string | null;
  /** The detail for the requester, beyond the code. */
  errorDetail: string | null;
  createdByUserId: string | null;
  createdByClientId: string | null;
  /** Null until issued; `sealed` is null once erased. */
  output: { sealed: Buffer | null; dataKeyId: string; wrappedDataKey: Buffer | null } | null;
}

/** The state and the owner of an issuance. */
export interface IssuanceStanding extends Omit<IssuanceResult, "output"> {
  userId: string | null;
  guestAccountId: string | null;
}

/** An issuance of a user that is still in progress. */
export interface UnsettledIssuance {
  id: string;
  name: string;
  deviceType: DeviceType | null;
  createdAt: Date;
}

/** Lists a user's issuances in progress, latest first. */
export const listUnsettledOfUser = (
  db: Db,
  { realmId, userId }: { realmId: string; userId: string },
): Promise<UnsettledIssuance[]> =>
  db.query<UnsettledIssuance>(sql`
    select i.id, i.name, i.device_type as "deviceType", i.created_at as "createdAt"
      from issuances i
     where i.realm_id = ${realmId}
       and i.user_id = ${userId}
       and ${isUnsettled(sql`i`)}
     order by i.created_at desc, i.id
  `);

/** The replacement of a profile by another. */
export interface Renewal {
  /** The profile that is replaced. */
  certificateId: string;
  replacedSerialNumber: string;
  /** The earliest time at which the replaced profile is revoked; null: the successor's file was never sent. */
  replacedEndsAt: Date | null;
  /** The serial number of the successor, once it is issued. */
  serialNumber: string | null;
  /** Whether the successor is revoked, so the profile has no successor any more. */
  isUndone: boolean;
}

/** Lists the replacements of a user's profiles that have not failed, latest first. */
export const listRenewalsOfUser = (db: Db, { userId }: { userId: string }): Promise<Renewal[]> =>
  db.query<Renewal>(sql`
    select old.id as "certificateId", old.serial_number as "replacedSerialNumber",
           ${replacedEnd(sql`i`)} as "replacedEndsAt", c.serial_number as "serialNumber",
           c.revoked_at is not null as "isUndone"
      from issuances i
      join certificates old on old.id = i.renews_certificate_id
      left join certificates c on c.issuance_id = i.id
     where i.user_id = ${userId}
       and i.status <> 'failed'
     order by i.created_at desc, i.id
  `);

/** Returns the state and the owner of an issuance, without reading the output. */
export const findState = async (db: Db, id: string): Promise<IssuanceStanding | undefined> =>
  first(
    await db.query<IssuanceStanding>(sql`
      select id, realm_id as "realmId", kind, status as state, created_at as "createdAt",
             finished_at as "finishedAt", error_code as "errorCode", error_detail as "errorDetail",
             created_by_user_id as "createdByUserId", created_by_client_id as "createdByClientId", user_id as "userId",
             guest_account_id as "guestAccountId"
        from issuances
       where id = ${id}
    `),
  );

/** Returns which of these issuances are settled, without reading any output. */
export async function listSettled(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id
      from issuances
     where id = any(${ids}::uuid[])
       and status in ('issued', 'failed')
  `);
  return rows.map(({ id }) => id);
}

/**
 * Fails a user's unsettled issuances and abandons the serial numbers of attempts that have begun. Call in the
 * transaction that locks the user out, after the user's row has been changed, so that no issuance of the user can
 * settle afterwards.
 */
export const failUnsettledOfUsers = (
  tx: Db,
  { userIds, ...failure }: { userIds: readonly string[]; errorCode: ErrorCode; at: Date },
): Promise<void> => failUnsettled(tx, sql`user_id = any(${userIds}::bigint[])`, failure);

/** Fails the unsettled issuances of a guest account that is revoked, as {@link failUnsettledOfUsers} does for users. */
export const failUnsettledOfGuestAccount = (
  tx: Db,
  { guestAccountId, ...failure }: { guestAccountId: string; errorCode: ErrorCode; at: Date },
): Promise<void> => failUnsettled(tx, sql`guest_account_id = ${guestAccountId}`, failure);

/** Fails the unsettled issuances of a bulk job that cannot continue, as {@link failUnsettledOfUsers} does for users. */
export const failUnsettledOfJob = (
  db: Db,
  { jobId, ...failure }: { jobId: string; errorCode: ErrorCode; at: Date },
): Promise<void> => failUnsettled(db, sql`batch_id = ${jobId}`, failure);

/**
 * Fails one unsettled issuance whose certificate was lost with the database, as {@link failUnsettledOfUsers} does for
 * users: otherwise the certificate would be issued a second time.
 */
export const failUnsettledById = (
  tx: Db,
  { realmId, id, ...failure }: { realmId: string; id: string; errorCode: ErrorCode; at: Date },
): Promise<void> => failUnsettled(tx, sql`realm_id = ${realmId} and i.id = ${id}`, failure);

async function failUnsettled(tx: Db, owned: Sql, { errorCode, at }: { errorCode: ErrorCode; at: Date }): Promise<void> {
  await tx.query(sql`
    with unsettled as (
      select i.id, i.issuer_id, i.serial_number, i.not_after
        from issuances i
       where ${owned}
         and ${isUnsettled(sql`i`)}
       order by i.id
         for update
    ), abandoned as (
      ${abandonSerials(sql`unsettled`, at)}
    ), failed as (
      update issuances i
         set status = 'failed', finished_at = ${at}, error_code = ${errorCode}
        from unsettled
       where i.id = unsettled.id
      returning i.id
    )
    select pg_notify(${settledChannel}, id::text) from failed
  `);
}
