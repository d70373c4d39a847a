import type { IssuerID, SerialNumber } from "../../../domain/ids.ts";
import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A certificate of a responder that is about to be signed. */
export interface ResponderIntent {
  issuerId: IssuerID;
  serialNumber: SerialNumber;
  publicKey: Buffer;
  notBefore: Date;
  notAfter: Date;
}

/**
 * Records what is going to be signed for a responder, within the validity of its issuer. Undefined when there is no such
 * issuer now, or the serial number is taken.
 */
export async function recordIntent(
  db: Db,
  {
    issuerId,
    serialNumber,
    workerId,
    publicKey,
    notBefore,
    notAfter,
    at,
  }: Omit<ResponderIntent, "issuerId"> & { issuerId: string; workerId: string; at: Date },
): Promise<ResponderIntent | undefined> {
  const rows = await db.query<ResponderIntent>(sql`
    insert into ocsp_responders (issuer_id, serial_number, worker_id, public_key, not_before, not_after, created_at)
    select i.id, ${serialNumber}::text, ${workerId}, ${publicKey}, greatest(${notBefore}::timestamptz, i.not_before),
           least(${notAfter}::timestamptz, i.not_after), ${at}
      from issuers i
     where i.id = ${issuerId}
       and i.not_before <= ${at}
       and i.not_after > ${at}
       and not exists (select from certificates where serial_number = ${serialNumber}::text and issuer_id = i.id)
       and not exists (select from abandoned_serial_numbers where serial_number = ${serialNumber}::text and issuer_id = i.id)
    on conflict do nothing
    returning issuer_id as "issuerId", serial_number as "serialNumber", public_key as "publicKey",
              not_before as "notBefore", not_after as "notAfter"
  `);
  return first(rows);
}

/** Keeps what was signed. */
export async function recordCertificate(
  db: Db,
  { issuerId, serialNumber, certificate }: { issuerId: string; serialNumber: string; certificate: Uint8Array },
): Promise<void> {
  await db.query(sql`
    update ocsp_responders
       set certificate = ${certificate}
     where serial_number = ${serialNumber}
       and issuer_id = ${issuerId}
  `);
}
