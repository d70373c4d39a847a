import type { CertificateFormat } from "../../../domain/certificate-format.ts";
import type { DeviceType } from "../../../domain/device.ts";
import { first, type Db } from "../../client.ts";
import { sql, type Sql } from "../../sql.ts";
import type { IssuanceState } from "../../../domain/issuance-state.ts";

/** How long a device has to pick a profile up. */
export const handOverMinutes = 10;

/** How long the file can be fetched, from when it was first offered to the device that picked it up. */
export const fileSecondsMax = 120;

/** A file that was never offered, because nobody came back for it, is erased so long after it was asked for. */
export const unofferedMinutesMax = 60;

/** What has ended is remembered for so long, so that its page can say that it was used or is too old. */
export const endedHoursMax = 24;

/** How many of an owner's may wait to be picked up. */
const waitingMax = { user: 20, guest: 500 } as const;

/** Whose profile is handed over: a person's or a guest account's. */
export type HandOverOwner = { userId: string; guestAccountId: null } | { userId: null; guestAccountId: string };

/** Permission for one device to have one profile made, and what came of it. */
export type HandOver = HandOverOwner & {
  id: string;
  tokenHash: Buffer;
  realmId: string;
  deviceType: DeviceType;
  name: string;
  /** Null: what suits the device. */
  format: CertificateFormat | null;
  /** The profile whose place the new one takes. */
  renewsSerialNumber: string | null;
  createdAt: Date;
  expiresAt: Date;
  pickedUpAt: Date | null;
  /** What the device that picked it up says that it is. */
  pickedUpBy: string | null;
  pickerHash: Buffer | null;
  issuanceId: string | null;
  offeredAt: Date | null;
  downloadedAt: Date | null;
  /** How the issuance stands; null until it is picked up. */
  state: IssuanceState | null;
  errorCode: string | null;
  /** Of the profile, once there is one. */
  serialNumber: string | null;
  issuerId: string | null;
};

export type NewHandOver = HandOverOwner &
  Pick<HandOver, "id" | "realmId" | "deviceType" | "name" | "format" | "renewsSerialNumber"> & {
    tokenHash: Uint8Array;
    at: Date;
  };

/** Makes one. False when the id is taken, or when too many of its owner's wait already. */
export async function create(tx: Db, row: NewHandOver): Promise<boolean> {
  const [owned, most] =
    row.userId === null
      ? [sql`guest_account_id = ${row.guestAccountId}`, waitingMax.guest]
      : [sql`user_id = ${row.userId}`, waitingMax.user];
  const made = await tx.query(sql`
    insert into hand_overs (id, token_hash, realm_id, user_id, guest_account_id, device_type, name, format,
                            renews_serial_number, created_at, expires_at)
    select ${row.id}::uuid, ${row.tokenHash}::bytea, ${row.realmId}::bigint, ${row.userId}::bigint,
           ${row.guestAccountId}::bigint, ${row.deviceType}, ${row.name}, ${row.format}, ${row.renewsSerialNumber},
           ${row.at}::timestamptz, ${row.at}::timestamptz + make_interval(mins => ${handOverMinutes})
     where (select count(*) from hand_overs where ${owned} and picked_up_at is null and expires_at > ${row.at}) < ${most}
    on conflict do nothing
    returning id
  `);
  return made.length > 0;
}

const select = (condition: Sql): Sql => sql`
  select h.id, h.token_hash as "tokenHash", h.realm_id as "realmId", h.user_id as "userId", h.guest_account_id as "guestAccountId",
         h.device_type as "deviceType", h.name, h.format, h.renews_serial_number as "renewsSerialNumber",
         h.created_at as "createdAt", h.expires_at as "expiresAt", h.picked_up_at as "pickedUpAt",
         h.picked_up_by as "pickedUpBy", h.picker_hash as "pickerHash", h.issuance_id as "issuanceId",
         h.offered_at as "offeredAt", h.downloaded_at as "downloadedAt", i.status as state,
         i.error_code as "errorCode", case when i.status = 'issued' then i.serial_number end as "serialNumber",
         i.issuer_id as "issuerId"
    from hand_overs h
    left join issuances i on i.id = h.issuance_id
   where ${condition}`;

export const find = async (db: Db, { id }: { id: string }): Promise<HandOver | undefined> =>
  first(await db.query<HandOver>(select(sql`h.id = ${id}`)));

export const findByToken = async (db: Db, { tokenHash }: { tokenHash: Uint8Array }): Promise<HandOver | undefined> =>
  first(await db.query<HandOver>(select(sql`h.token_hash = ${tokenHash}`)));

/** What becomes known of a hand-over when a device takes it. */
export interface PickUp {
  id: string;
  deviceType: DeviceType;
  name: string;
  format: CertificateFormat;
  pickedUpBy: string;
  pickerHash: Uint8Array;
  issuanceId: string;
  at: Date;
}

/** Takes a hand-over, once: of several attempts at the same moment one succeeds. False when it is taken or too old. */
export async function pickUp(tx: Db, taken: PickUp): Promise<boolean> {
  const rows = await tx.query(sql`
    update hand_overs
       set picked_up_at = ${taken.at}, picked_up_by = ${taken.pickedUpBy}, picker_hash = ${taken.pickerHash},
           issuance_id = ${taken.issuanceId}, device_type = ${taken.deviceType}, name = ${taken.name},
           format = ${taken.format}
     where id = ${taken.id}
       and picked_up_at is null
       and expires_at > ${taken.at}
    returning id
  `);
  return rows.length > 0;
}

/** Notes that the file was offered; the first time counts. */
export async function noteOffered(db: Db, { id, at }: { id: string; at: Date }): Promise<void> {
  await db.query(sql`update hand_overs set offered_at = ${at} where id = ${id} and offered_at is null`);
}

/** Notes that the file was fetched; the first time counts. */
export async function noteDownloaded(db: Db, { id, at }: { id: string; at: Date }): Promise<void> {
  await db.query(sql`update hand_overs set downloaded_at = ${at} where id = ${id} and downloaded_at is null`);
}
