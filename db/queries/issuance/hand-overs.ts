import type { CertificateFormat } from "../../../domain/certificate/format.ts";
import type { DeviceType } from "../../../domain/certificate/device.ts";
import { first, type Db } from "../../client.ts";
import { sql, type Sql } from "../../sql.ts";
import type { IssuanceState } from "../../../domain/certificate/issuance-state.ts";
import { handOverClaimMinutes, handOverMinutes, replacedHours } from "../../../domain/lifetimes.ts";
import { waitingHandOversMax } from "../../../domain/limits.ts";

/** The owner of the profile: a user or a guest account. */
export type HandOverOwner = { userId: string; guestAccountId: null } | { userId: null; guestAccountId: string };

/** Permission for one device to request one profile, and its outcome. */
export type HandOver = HandOverOwner & {
  id: string;
  tokenHash: Buffer;
  /** The keyed hash of the short code; null: created for an app, or by the previous release. */
  codeHash: Buffer | null;
  realmId: string;
  deviceType: DeviceType;
  name: string;
  /** Null: the format that suits the device. */
  format: CertificateFormat | null;
  /** The profile that the new profile replaces. */
  renewsSerialNumber: string | null;
  createdAt: Date;
  expiresAt: Date;
  /**
   * When a browser or an app claimed the hand-over; also null for a hand-over that was used under the release before
   * claims existed.
   */
  claimedAt: Date | null;
  /** When the profile was requested. */
  pickedUpAt: Date | null;
  /** The device, as its browser describes it; for an app, the type of device. */
  pickedUpBy: string | null;
  recipientHash: Buffer | null;
  issuanceId: string | null;
  /** When the file was first fetched. */
  downloadedAt: Date | null;
  /** The state of the issuance; null until there is an issuance. */
  state: IssuanceState | null;
  /** When the profile was issued. */
  issuedAt: Date | null;
  /** The serial number of the profile; null until there is a profile. */
  serialNumber: string | null;
  issuerId: string | null;
  /** When the network last checked the profile's status. */
  lastOcspAt: Date | null;
  /** The `client_id` of the app that fetches the file; such a hand-over has no page. Null: self-service. */
  app: string | null;
  /** SHA-256 of the cookie by which the device is recognized. */
  deviceHash: Buffer | null;
};

/** The values that a browser adds to a hand-over when the browser claims it. */
export interface Claim {
  deviceType: DeviceType;
  name: string;
  format: CertificateFormat;
  pickedUpBy: string;
  recipientHash: Uint8Array;
}

export type NewHandOver = HandOverOwner &
  Pick<HandOver, "id" | "realmId" | "deviceType" | "name" | "format" | "renewsSerialNumber"> & {
    tokenHash: Uint8Array;
    codeHash: Uint8Array;
    at: Date;
  };

/**
 * Creates a hand-over for a device to claim. Returns false when the id is taken, or too many of the owner's hand-overs
 * are waiting.
 */
export const create = (db: Db, row: NewHandOver): Promise<boolean> => insert(db, row, { minutes: handOverMinutes });

/** Creates a hand-over that a browser has already claimed. Returns false as {@link create} does. */
export const createClaimed = (db: Db, row: NewHandOver, claim: Claim): Promise<boolean> =>
  insert(db, { ...row, ...claim }, { minutes: handOverClaimMinutes, claim });

async function insert(
  db: Db,
  row: NewHandOver,
  { minutes, claim }: { minutes: number; claim?: Claim },
): Promise<boolean> {
  const [owned, most] =
    row.userId === null
      ? [sql`guest_account_id = ${row.guestAccountId}`, waitingHandOversMax.guest]
      : [sql`user_id = ${row.userId}`, waitingHandOversMax.user];
  const made = await db.query(sql`
    insert into hand_overs (id, token_hash, code_hash, realm_id, user_id, guest_account_id, device_type, name, format,
                            renews_serial_number, created_at, expires_at, claimed_at, picked_up_by, picker_hash)
    select ${row.id}::uuid, ${row.tokenHash}::bytea, ${row.codeHash}::bytea, ${row.realmId}::bigint, ${row.userId}::bigint,
           ${row.guestAccountId}::bigint, ${row.deviceType}, ${row.name}, ${row.format}, ${row.renewsSerialNumber},
           ${row.at}::timestamptz, ${row.at}::timestamptz + make_interval(mins => ${minutes}),
           ${claim === undefined ? null : row.at}::timestamptz, ${claim?.pickedUpBy ?? null},
           ${claim?.recipientHash ?? null}::bytea
     where (select count(*)
              from hand_overs
             where ${owned} and app is null and picked_up_at is null and expires_at > ${row.at}) < ${most}
    on conflict do nothing
    returning id
  `);
  return made.length > 0;
}

const select = (condition: Sql): Sql => sql`
  select h.id, h.token_hash as "tokenHash", h.code_hash as "codeHash", h.realm_id as "realmId", h.user_id as "userId", h.guest_account_id as "guestAccountId",
         h.device_type as "deviceType", h.name, h.format, h.renews_serial_number as "renewsSerialNumber",
         h.created_at as "createdAt", h.expires_at as "expiresAt", h.claimed_at as "claimedAt",
         h.picked_up_at as "pickedUpAt", h.picked_up_by as "pickedUpBy", h.picker_hash as "recipientHash",
         h.issuance_id as "issuanceId", h.downloaded_at as "downloadedAt", i.status as state,
         case when i.status = 'issued' then i.finished_at end as "issuedAt",
         case when i.status = 'issued' then i.serial_number end as "serialNumber", i.issuer_id as "issuerId",
         c.last_ocsp_at as "lastOcspAt", h.app, h.device_hash as "deviceHash"
    from hand_overs h
    left join issuances i on i.id = h.issuance_id
    left join certificates c on c.issuance_id = h.issuance_id
   where ${condition}`;

export const find = async (db: Db, { id }: { id: string }): Promise<HandOver | undefined> =>
  first(await db.query<HandOver>(select(sql`h.id = ${id}`)));

export const findByToken = async (db: Db, { tokenHash }: { tokenHash: Uint8Array }): Promise<HandOver | undefined> =>
  first(await db.query<HandOver>(select(sql`h.token_hash = ${tokenHash} and h.app is null`)));

/** Returns the hand-over of a short code with one of these hashes, if a device can still claim it. */
export const findByCode = async (
  db: Db,
  { codeHashes, at }: { codeHashes: readonly Uint8Array[]; at: Date },
): Promise<HandOver | undefined> =>
  first(
    await db.query<HandOver>(
      select(sql`h.code_hash = any(${codeHashes}::bytea[]) and h.claimed_at is null and h.picked_up_at is null
                 and h.expires_at > ${at}`),
    ),
  );

/**
 * Claims a hand-over for a browser: of several concurrent claims one succeeds. Returns false if the hand-over is
 * already claimed or has expired.
 */
export async function claim(
  db: Db,
  { id, deviceType, name, format, pickedUpBy, recipientHash, at }: Claim & { id: string; at: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    update hand_overs
       set claimed_at = ${at}, expires_at = ${at}::timestamptz + make_interval(mins => ${handOverClaimMinutes}),
           picked_up_by = ${pickedUpBy}, picker_hash = ${recipientHash}, device_type = ${deviceType}, name = ${name},
           format = ${format}
     where id = ${id}
       and claimed_at is null
       and picked_up_at is null
       and expires_at > ${at}
    returning id
  `);
  return rows.length > 0;
}

/**
 * Records the issuance that a claimed hand-over was used for, once. Returns false if the hand-over is not claimed, was
 * used before or has expired.
 */
export async function use(
  tx: Db,
  { id, issuanceId, at }: { id: string; issuanceId: string; at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update hand_overs
       set picked_up_at = ${at}, issuance_id = ${issuanceId}
     where id = ${id}
       and claimed_at is not null
       and picked_up_at is null
       and expires_at > ${at}
    returning id
  `);
  return rows.length > 0;
}

/**
 * Records that the file is being sent, and when the replaced profile ends; only the first call has an effect. Call it
 * before the first byte.
 */
export async function noteDownloaded(db: Db, { id, at }: { id: string; at: Date }): Promise<void> {
  await db.query(sql`
    with sent as (
      update hand_overs set downloaded_at = ${at} where id = ${id} and downloaded_at is null returning issuance_id
    )
    update issuances i
       set replaced_ends_at = ${at}::timestamptz + make_interval(hours => ${replacedHours})
      from sent
     where i.id = sent.issuance_id
       and i.renews_certificate_id is not null
  `);
}
