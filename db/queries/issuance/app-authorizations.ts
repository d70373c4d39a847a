import { randomBytes } from "node:crypto";
import type { CertificateFormat } from "../../../domain/certificate/format.ts";
import type { DeviceType } from "../../../domain/certificate/device.ts";
import type { IssuanceState } from "../../../domain/certificate/issuance-state.ts";
import { appAuthorizationMinutes, appTokenMinutes } from "../../../domain/lifetimes.ts";
import { first, only, type Db } from "../../client.ts";
import { sql, type Sql } from "../../sql.ts";

/** A person's permission for an app to fetch one file: a hand-over without a page and without a link. */
export interface NewAppAuthorization {
  id: string;
  realmId: string;
  userId: string;
  /** The app's `client_id`. */
  app: string;
  redirectUri: string;
  codeHash: Uint8Array;
  /** S256 (RFC 7636). */
  codeChallenge: string;
  codeExpiresAt: Date;
  deviceType: DeviceType;
  deviceHash: Uint8Array;
  name: string;
  /** The profile that the new profile replaces; null: none. */
  renewsSerialNumber: string | null;
  at: Date;
}

/** The end of an authorization: later than the end of any token for its code. */
const endOf = ({ at }: Pick<NewAppAuthorization, "at">): Sql =>
  sql`${at}::timestamptz + make_interval(mins => ${appAuthorizationMinutes})`;

/** Creates an authorization with its hand-over. Returns false when the id is taken. Call in a transaction. */
export async function create(tx: Db, row: NewAppAuthorization): Promise<boolean> {
  const made = await tx.query(sql`
    with made as (
      insert into hand_overs (id, token_hash, realm_id, user_id, device_type, name, renews_serial_number, created_at,
                              expires_at, app, device_hash)
      values (${row.id}, ${randomBytes(32)}, ${row.realmId}, ${row.userId}, ${row.deviceType}, ${row.name},
              ${row.renewsSerialNumber}, ${row.at},
              ${endOf(row)}, ${row.app}, ${row.deviceHash})
      on conflict do nothing
      returning id
    )
    insert into app_authorizations (id, realm_id, user_id, app, redirect_uri, code_hash, code_challenge, code_expires_at,
                                    created_at)
    select id, ${row.realmId}::bigint, ${row.userId}::bigint, ${row.app}, ${row.redirectUri}, ${row.codeHash}::bytea,
           ${row.codeChallenge}, ${row.codeExpiresAt}::timestamptz, ${row.at}::timestamptz
      from made
    returning id
  `);
  return made.length > 0;
}

/**
 * Replaces the code and the end of an authorization for the same request, and the form's values for the profile.
 * Returns false if there is no such authorization, the authorization has ended, or its code was used.
 */
export async function replaceCode(tx: Db, row: NewAppAuthorization): Promise<boolean> {
  const rows = await tx.query(sql`
    with again as (
      update app_authorizations a
         set code_hash = ${row.codeHash}, code_expires_at = ${row.codeExpiresAt}
        from hand_overs h
       where h.id = a.id
         and h.expires_at > ${row.at}
         and a.id = ${row.id}
         and a.user_id = ${row.userId}
         and a.app = ${row.app}
         and a.redirect_uri = ${row.redirectUri}
         and a.code_challenge = ${row.codeChallenge}
         and a.code_used_at is null
      returning a.id
    )
    update hand_overs
       set name = ${row.name}, renews_serial_number = ${row.renewsSerialNumber}, expires_at = ${endOf(row)}
     where id in (select id from again)
    returning id
  `);
  return rows.length > 0;
}

/**
 * Returns how many authorizations a person gave within the last hour, and when the oldest of them will be an hour old.
 * Counts the hand-overs, which remain when an authorization ends.
 */
export async function countLately(
  db: Db,
  { userId, at }: { userId: string; at: Date },
): Promise<{ count: number; nextAt: Date | null }> {
  return only(
    await db.query<{ count: number; nextAt: Date | null }>(sql`
      select count(*)::integer as count, min(created_at) + interval '1 hour' as "nextAt"
        from hand_overs
       where user_id = ${userId}
         and app is not null
         and expires_at > ${at}::timestamptz - interval '1 hour'
         and created_at > ${at}::timestamptz - interval '1 hour'
    `),
  );
}

/** A person's authorization whose file was never sent. */
export interface UnsentAuthorization {
  id: string;
  issuanceId: string | null;
  state: IssuanceState | null;
  /** The serial number of the active profile, if there is one. */
  serialNumber: string | null;
  renewsSerialNumber: string | null;
}

const unsent = ({ userId, deviceHash, at }: { userId: string; deviceHash: Uint8Array; at: Date }): Sql => sql`
  select a.id, h.issuance_id as "issuanceId", i.status as state, c.serial_number as "serialNumber",
         h.renews_serial_number as "renewsSerialNumber"
    from app_authorizations a
    join hand_overs h on h.id = a.id
    left join issuances i on i.id = h.issuance_id
    left join certificates c on c.issuance_id = h.issuance_id and c.revoked_at is null and c.not_after > ${at}
   where a.user_id = ${userId}
     and h.device_hash = ${deviceHash}
     and h.downloaded_at is null
   order by a.created_at desc, a.id`;

/** Lists a device's authorizations whose file was never sent, newest first. */
export const listUnsent = (
  db: Db,
  device: { userId: string; deviceHash: Uint8Array; at: Date },
): Promise<UnsentAuthorization[]> => db.query<UnsentAuthorization>(unsent(device));

/**
 * Ends a device's authorizations whose file was never sent, and returns them: their codes and tokens stop working. A
 * file that is being sent at this moment counts as sent. Call in a transaction, with the owner locked.
 */
export async function endUnsent(
  tx: Db,
  device: { userId: string; deviceHash: Uint8Array; at: Date },
): Promise<UnsentAuthorization[]> {
  // Locks first, so that the list is read after a file in transfer has been recorded as sent.
  await tx.query(sql`select id from app_authorizations where user_id = ${device.userId} order by id for update`);
  const ended = await listUnsent(tx, device);
  const ids = ended.map(({ id }) => id);
  await tx.query(sql`delete from app_authorizations where id = any(${ids}::uuid[])`);
  await tx.query(sql`
    update hand_overs set expires_at = ${device.at} where id = any(${ids}::uuid[]) and expires_at > ${device.at}
  `);
  return ended;
}

/** An authorization that is found by its code. */
export interface AuthorizationByCode {
  id: string;
  realmId: string;
  userId: string;
  app: string;
  redirectUri: string;
  codeChallenge: string;
  codeExpiresAt: Date;
  codeUsedAt: Date | null;
}

/** Returns the authorization of a code, used or not, with its row locked until the transaction ends. */
export async function lockByCode(
  tx: Db,
  { codeHash }: { codeHash: Uint8Array },
): Promise<AuthorizationByCode | undefined> {
  return first(
    await tx.query<AuthorizationByCode>(sql`
      select id, realm_id as "realmId", user_id as "userId", app, redirect_uri as "redirectUri",
             code_challenge as "codeChallenge", code_expires_at as "codeExpiresAt", code_used_at as "codeUsedAt"
        from app_authorizations
       where code_hash = ${codeHash}
         for update
    `),
  );
}

/** Notes that a code was used for a token. */
export async function useCode(
  tx: Db,
  { id, tokenHash, at }: { id: string; tokenHash: Uint8Array; at: Date },
): Promise<void> {
  await tx.query(sql`
    update app_authorizations
       set code_used_at = ${at}, token_hash = ${tokenHash},
           token_expires_at = ${at}::timestamptz + make_interval(mins => ${appTokenMinutes})
     where id = ${id}
  `);
}

/** Ends an authorization: its token stops working. A profile that was fetched stays. */
export async function remove(tx: Db, { id }: { id: string }): Promise<void> {
  await tx.query(sql`delete from app_authorizations where id = ${id}`);
}

/** An authorization that is found by its token. */
export interface AuthorizationByToken {
  /** The id of the authorization, and of its hand-over. */
  id: string;
  app: string;
  /** False: the provider or the directory reports that the owner may not use the realm. */
  isPermitted: boolean;
}

const byToken = ({ realmId, tokenHash, at }: { realmId: string; tokenHash: Uint8Array; at: Date }): Sql => sql`
  select a.id, a.app, u.not_permitted_since is null as "isPermitted"
    from app_authorizations a
    join users u on u.id = a.user_id
   where a.token_hash = ${tokenHash}
     and a.realm_id = ${realmId}
     and a.token_expires_at > ${at}
     and u.offboarded_at is null`;

/**
 * Returns the authorization of a token of this realm; undefined once the authorization has ended, or its owner is
 * offboarded.
 */
export const findByToken = async (
  db: Db,
  token: { realmId: string; tokenHash: Uint8Array; at: Date },
): Promise<AuthorizationByToken | undefined> => first(await db.query<AuthorizationByToken>(byToken(token)));

/**
 * Returns the authorization of a token, as {@link findByToken} does, and prevents the authorization from ending until
 * the transaction ends.
 */
export const holdByToken = async (
  tx: Db,
  token: { realmId: string; tokenHash: Uint8Array; at: Date },
): Promise<AuthorizationByToken | undefined> =>
  first(await tx.query<AuthorizationByToken>(sql`${byToken(token)} for share of a`));

/**
 * Claims the hand-over of a token and records the issuance and the format, once. Returns false if the hand-over was
 * used before or the authorization has ended. Call in a transaction, with the owner locked.
 */
export async function use(
  tx: Db,
  {
    id,
    tokenHash,
    issuanceId,
    format,
    deviceType,
    at,
  }: {
    id: string;
    tokenHash: Uint8Array;
    issuanceId: string;
    format: CertificateFormat;
    deviceType: DeviceType;
    at: Date;
  },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update hand_overs
       set claimed_at = ${at}, picked_up_at = ${at}, issuance_id = ${issuanceId}, picker_hash = ${tokenHash},
           format = ${format}, device_type = ${deviceType}, picked_up_by = ${deviceType}
     where id = ${id}
       and picked_up_at is null
       and expires_at > ${at}
       and exists (select from app_authorizations where id = ${id} and token_hash = ${tokenHash})
    returning id
  `);
  return rows.length > 0;
}

/** Returns the serial numbers of the active profiles that a person has for a device, newest first. */
export async function listOfDevice(
  db: Db,
  { userId, deviceHash, at }: { userId: string; deviceHash: Uint8Array; at: Date },
): Promise<string[]> {
  const rows = await db.query<{ serialNumber: string }>(sql`
    select c.serial_number as "serialNumber"
      from issuances i
      join certificates c on c.issuance_id = i.id
     where i.user_id = ${userId}
       and i.device_hash = ${deviceHash}
       and c.revoked_at is null
       and c.not_after > ${at}
     order by c.created_at desc, c.id desc
  `);
  return rows.map(({ serialNumber }) => serialNumber);
}
