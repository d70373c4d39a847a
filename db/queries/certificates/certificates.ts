import type { Actor, AuditEvent } from "../../../domain/audit.ts";
import type { DeviceType } from "../../../domain/device.ts";
import { revocationEvent, type ProfileKind } from "../../../domain/profile.ts";
import { renewalDays, renewalHoursMax } from "../../../domain/renewal.ts";
import { revocationReasons, type RevocationReason } from "../../../domain/revocation.ts";
import { first, only, type Db } from "../../client.ts";
import { isActive, limitOf } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";
import * as audit from "../audit/audit-entries.ts";

/** A profile of any kind, without its certificate. */
export interface Certificate {
  id: string;
  issuerId: string;
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

/** The columns of a {@link Certificate}, of `certificates c`. */
export const columns = sql`
  c.id, c.issuer_id as "issuerId", c.issuance_id as "issuanceId", c.serial_number as "serialNumber", c.kind,
  c.user_id as "userId", c.guest_account_id as "guestAccountId", c.name, c.description, c.device_type as "deviceType",
  c.authable, c.identity, c.created_at as "createdAt", c.not_after as "notAfter", c.revoked_at as "revokedAt",
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
         and c.not_before <= ${at}
         and ${isActive(sql`c`, at)}
         and u.offboarded_at is null
    `),
  );
}

/** Whether a profile's certificate is this one, octet for octet. */
export async function isSame(db: Db, { id, der }: { id: string; der: Uint8Array }): Promise<boolean> {
  const rows = await db.query(sql`select id from certificates where id = ${id} and certificate = ${der}`);
  return rows.length > 0;
}

/** The SHA-256 of a profile's certificate. */
export async function thumbprintOf(db: Db, { id }: { id: string }): Promise<Buffer> {
  const rows = await db.query<{ thumbprint: Buffer }>(
    sql`select sha256(certificate) as thumbprint from certificates where id = ${id}`,
  );
  return only(rows).thumbprint;
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
       and ${isActive(sql`c`, at)}
     order by c.created_at desc, c.id desc
  `);

/**
 * Revokes one profile permanently, with its audit entry. False when the realm has no such profile; revoking what is
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
 * Revokes profiles of one kind permanently, all of them or none, with an audit entry for each that was not revoked
 * before. Answers the serial numbers that the realm does not have; when there are any, nothing has changed. Call in a
 * transaction.
 */
export async function revokeMany(
  tx: Db,
  request: {
    realmId: string;
    serialNumbers: readonly string[];
    kind: ProfileKind;
    reason: RevocationReason;
    actor: Actor;
    at: Date;
  },
): Promise<string[]> {
  const { realmId, serialNumbers, kind, reason, actor, at } = request;
  const found = await tx.query<Pick<Certificate, "id" | "serialNumber">>(sql`
    select id, serial_number as "serialNumber"
      from certificates
     where realm_id = ${realmId}
       and kind = ${kind}
       and serial_number = any(${serialNumbers}::text[])
  `);
  const known = new Set(found.map(({ serialNumber }) => serialNumber));
  const unknown = serialNumbers.filter((serialNumber) => !known.has(serialNumber));
  if (unknown.length > 0) return unknown;

  await revokeWhere(tx, sql`c.id = any(${found.map(({ id }) => id)}::bigint[])`, {
    reason,
    at,
    auditedAs: { event: revocationEvent[kind], actor },
  });
  return [];
}

/**
 * Revokes every active profile of users permanently, and answers the serial numbers. The audit entries are the caller's.
 * Call in a transaction, with the users offboarded: nothing can be made for them behind its back.
 */
export const revokeAllOfUsers = (
  tx: Db,
  {
    realmId,
    userIds,
    ...revocation
  }: { realmId: string; userIds: readonly string[]; reason: RevocationReason; at: Date },
): Promise<string[]> =>
  revokeWhere(
    tx,
    sql`c.realm_id = ${realmId} and c.user_id = any(${userIds}::bigint[]) and ${isActive(sql`c`, revocation.at)}`,
    revocation,
  );

/** The same for a guest account, with its row locked. */
export const revokeAllOfGuestAccount = (
  tx: Db,
  {
    realmId,
    guestAccountId,
    ...revocation
  }: { realmId: string; guestAccountId: string; reason: RevocationReason; at: Date },
): Promise<string[]> =>
  revokeWhere(
    tx,
    sql`c.realm_id = ${realmId} and c.guest_account_id = ${guestAccountId} and ${isActive(sql`c`, revocation.at)}`,
    revocation,
  );

/** How many profiles upkeep revokes in one statement. */
const slice = 1_000;

/**
 * Revokes profiles that outlive their guest account, whose end was moved forward after they were made; nobody did it, as
 * far as the audit log is concerned. Answers their serial numbers, at most 1,000 of them: call it until there are none.
 */
export const revokeOfExpiredGuests = (db: Db, { at }: { at: Date }): Promise<string[]> =>
  revokeWhere(
    db,
    sql`c.id in (select c.id
                 from guest_accounts g
                 join certificates c on c.guest_account_id = g.id
                where g.expires_at <= ${at}
                  and ${isActive(sql`c`, at)}
                limit ${slice})`,
    {
      reason: revocationReasons.cessationOfOperation,
      at,
      auditedAs: { event: revocationEvent.guest, actor: { userId: null, clientId: null } },
    },
  );

/**
 * Revokes profiles whose successor was made beyond their owner's limit a day ago, where the owner is still beyond it; nobody
 * did it, as far as the audit log is concerned. Answers their serial numbers, at most 1,000 of them: call it until there
 * are none.
 */
export const revokeSuperseded = (db: Db, { at }: { at: Date }): Promise<string[]> =>
  revokeWhere(
    db,
    sql`c.id in (select c.id
                 from issuances i
                 join certificates c on c.id = i.renews_certificate_id
                 join certificates successor on successor.issuance_id = i.id and successor.revoked_at is null
                 join users u on u.id = i.user_id
                 join realms r on r.id = u.realm_id
                where i.beyond_limit
                  and i.status = 'issued'
                  and i.finished_at <= ${at}::timestamptz - make_interval(hours => ${renewalHoursMax})
                  and i.finished_at > ${at}::timestamptz - make_interval(days => ${2 * renewalDays})
                  and ${isActive(sql`c`, at)}
                  and (select count(*)
                         from certificates held
                        where held.user_id = i.user_id
                          and ${isActive(sql`held`, at)})
                      > ${limitOf(sql`u`, sql`r`)}
                limit ${slice})`,
    {
      reason: revocationReasons.superseded,
      at,
      auditedAs: { event: revocationEvent.user, actor: { userId: null, clientId: null } },
    },
  );

/** Revokes the certificates `c` that meet the condition and are not revoked, with an audit entry for each if so asked. */
async function revokeWhere(
  tx: Db,
  condition: Sql,
  { reason, at, auditedAs }: { reason: RevocationReason; at: Date; auditedAs?: { event: AuditEvent; actor: Actor } },
): Promise<string[]> {
  const audited =
    auditedAs &&
    sql`, audited as (
      insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
      select u.realm_id, ${at}, ${auditedAs.event}, ${auditedAs.actor.userId}, ${auditedAs.actor.clientId},
             jsonb_strip_nulls(jsonb_build_object(
               'serial', u.serial_number, 'name', u.name, 'user', u.user_id::text,
               'guestAccount', u.guest_account_id::text, 'reason', ${reason}::integer))
        from unrevoked u
        join revoked r on r.certificate_id = u.id
       order by u.id
    )`;
  const rows = await tx.query<{ serialNumber: string }>(sql`
    with unrevoked as (
      select c.id, c.realm_id, c.serial_number, c.name, c.user_id, c.guest_account_id
        from certificates c
       where ${condition}
         and c.revoked_at is null
       order by c.id
    ), revoked as (
      insert into revocations (certificate_id, revoked_at, reason)
      select id, ${at}, ${reason}
        from unrevoked
       order by id
      on conflict (certificate_id) do nothing
      returning certificate_id
    )${audited ?? sql``}
    select u.serial_number as "serialNumber"
      from unrevoked u
      join revoked r on r.certificate_id = u.id
     order by u.id
  `);
  return rows.map(({ serialNumber }) => serialNumber);
}

/** A certificate and the hash of the public key as it is certified. */
export interface CertifiedKey {
  serialNumber: string;
  /** DER. */
  certificate: Buffer;
  spkiSha256: Buffer;
}

/** The ids of active profiles whose keys came in certification requests, in one reading of the issuances. */
export async function listActiveOfRequests(db: Db, { at }: { at: Date }): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select c.id
      from issuances i
      join certificates c on c.issuance_id = i.id
     where i.csr is not null
       and ${isActive(sql`c`, at)}
     order by c.id
  `);
  return rows.map(({ id }) => id);
}

export const listKeys = (db: Db, ids: readonly string[]): Promise<CertifiedKey[]> =>
  db.query<CertifiedKey>(sql`
    select serial_number as "serialNumber", certificate, spki_sha256 as "spkiSha256"
      from certificates
     where id = any(${ids}::bigint[])
     order by id
  `);
