import type { IssuerID, SerialNumber } from "../../../domain/ids.ts";
import { first, only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A request that is not settled within this time is claimed by another worker. */
const takenSecondsMax = 10;

/** A responder's key that waits for a certificate. */
export interface ResponderRequest {
  id: string;
  processId: string;
  issuerId: string;
  publicKey: Buffer;
}

/** Requests a certificate for a key. Repeated calls for the same key have no effect. */
export async function request(db: Db, { processId, issuerId, publicKey }: Omit<ResponderRequest, "id">): Promise<void> {
  await db.query(sql`
    insert into responder_requests (process_id, issuer_id, public_key)
    values (${processId}, ${issuerId}, ${publicKey})
    on conflict (public_key) do nothing
  `);
}

/** Returns the certificate of a key, once it is signed. */
export async function findCertificate(
  db: Db,
  publicKey: Buffer,
): Promise<{ certificate: Buffer; notBefore: Date; notAfter: Date } | undefined> {
  const rows = await db.query<{ certificate: Buffer; notBefore: Date; notAfter: Date }>(sql`
    select certificate, not_before as "notBefore", not_after as "notAfter"
      from ocsp_responders
     where public_key = ${publicKey}
       and certificate is not null
  `);
  return first(rows);
}

/** Claims requests that no worker holds, starting with requests that were never tried. */
export const takeRequests = (
  db: Db,
  { away, limit }: { away: readonly string[]; limit: number },
): Promise<ResponderRequest[]> =>
  db.query<ResponderRequest>(sql`
    with free as (
      select id
        from responder_requests
       where (taken_at is null or taken_at < clock_timestamp() - make_interval(secs => ${takenSecondsMax}))
         and issuer_id <> all(${away}::bigint[])
       order by taken_at nulls first, id
       limit ${limit}
         for update skip locked
    )
    update responder_requests r
       set taken_at = clock_timestamp()
      from free
     where r.id = free.id
    returning r.id, r.process_id as "processId", r.issuer_id as "issuerId", r.public_key as "publicKey"
  `);

/** A responder's certificate that is about to be signed. */
export interface ResponderIntent {
  issuerId: IssuerID;
  serialNumber: SerialNumber;
  publicKey: Buffer;
  notBefore: Date;
  notAfter: Date;
}

/** Serializes the intents of one issuer, so they can be counted. */
export async function lockIntents(tx: Db, issuerId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('ocsp responders', ${issuerId}::bigint))`);
}

/** Returns the certificate that an earlier worker was about to sign for this key. */
export async function findIntent(tx: Db, publicKey: Buffer): Promise<ResponderIntent | undefined> {
  const rows = await tx.query<ResponderIntent>(sql`
    select issuer_id as "issuerId", serial_number as "serialNumber", public_key as "publicKey",
           not_before as "notBefore", not_after as "notAfter"
      from ocsp_responders
     where public_key = ${publicKey}
  `);
  return first(rows);
}

/** Returns how many unexpired responder certificates the issuer has signed or is about to sign. */
export async function countUnexpired(tx: Db, issuerId: string): Promise<number> {
  const rows = await tx.query<{ count: number }>(sql`
    select count(*)::integer as count
      from ocsp_responders
     where issuer_id = ${issuerId}
       and not_after > clock_timestamp()
  `);
  return only(rows).count;
}

/**
 * Records the certificate that will be signed for a responder, within the validity of its issuer. Returns undefined if
 * no such issuer is valid now, or if the serial number or the key is taken.
 */
export async function recordIntent(
  tx: Db,
  {
    issuerId,
    serialNumber,
    processId,
    publicKey,
    notBefore,
    notAfter,
    at,
  }: Omit<ResponderIntent, "issuerId"> & { issuerId: string; processId: string; at: Date },
): Promise<ResponderIntent | undefined> {
  const rows = await tx.query<ResponderIntent>(sql`
    insert into ocsp_responders (issuer_id, serial_number, worker_id, public_key, not_before, not_after, created_at)
    select i.id, ${serialNumber}::text, ${processId}, ${publicKey}, greatest(${notBefore}::timestamptz, i.not_before),
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

/** Stores the certificate signed for a key, and removes its request. */
export async function settleRequest(
  db: Db,
  { id, publicKey, certificate }: { id: string; publicKey: Buffer; certificate: Uint8Array },
): Promise<void> {
  await db.query(sql`
    with signed as (
      update ocsp_responders set certificate = ${certificate} where public_key = ${publicKey} and certificate is null
    )
    delete from responder_requests where id = ${id}
  `);
}
