import type { Db } from "../../client.ts";
import { isRadiusServer } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";

/** An issuer, as the OCSP responder needs it. */
export interface OcspIssuer {
  id: string;
  /** DER. */
  certificate: Buffer;
  notAfter: Date;
}

/** Returns one issuer, expired or not. */
export const findIssuer = (db: Db, id: string): Promise<OcspIssuer[]> =>
  db.query<OcspIssuer>(sql`select id, certificate, not_after as "notAfter" from issuers where id = ${id}`);

/** Lists unexpired issuers: the issuing ones first, then newest first. */
export const listCurrent = (db: Db, { at, limit }: { at: Date; limit: number }): Promise<OcspIssuer[]> =>
  db.query<OcspIssuer>(sql`
    select id, certificate, not_after as "notAfter"
      from issuers
     where not_after > ${at}
     order by issuing desc, id desc
     limit ${limit}
  `);

/** The certificate whose status is requested. */
export interface StatusKey {
  issuerId: string;
  serialNumber: string;
}

/** The status of one serial number of an issuer. */
export interface StatusRow {
  /** Null when no certificate has the serial number. */
  certificateId: string | null;
  /** Whether the serial number belongs to an infrastructure profile. */
  isServers: boolean;
  revokedAt: Date | null;
  revocationReason: number | null;
  lastOcspAt: Date | null;
  /** When the serial number was abandoned, with or without a signature. */
  abandonedAt: Date | null;
}

/**
 * Returns a row for each key, in the order of the keys. Uses one statement, by unique indexes, for any number of keys.
 */
export const readStatuses = (db: Db, keys: readonly StatusKey[]): Promise<StatusRow[]> =>
  db.query<StatusRow>(sql`
    select c.id as "certificateId", coalesce(c.kind = 'infrastructure', false) as "isServers", c.revoked_at as "revokedAt", c.revocation_reason as "revocationReason",
           c.last_ocsp_at as "lastOcspAt", a.abandoned_at as "abandonedAt"
      from unnest(${keys.map(({ issuerId }) => issuerId)}::bigint[],
                  ${keys.map(({ serialNumber }) => serialNumber)}::text[])
           with ordinality as k (issuer_id, serial_number, position)
      left join lateral (select id, kind, revoked_at, revocation_reason, last_ocsp_at
                           from certificates
                          where serial_number = k.serial_number
                            and issuer_id = k.issuer_id
                         offset 0) c on true
      left join lateral (select abandoned_at
                           from abandoned_serial_numbers
                          where serial_number = k.serial_number
                            and issuer_id = k.issuer_id
                         offset 0) a on true
     order by k.position
  `);

/**
 * A row's time is written at most once in this many seconds, except for the first time after a revocation: each write
 * leaves behind an old version of a 1 kB row.
 */
export const lastOcspSecondsMin = 60;

/** An answer about a certificate. The address is null if it is unknown. */
export interface Answered {
  certificateId: string;
  address: string | null;
  at: Date;
}

/** Tests whether a time of certificate `c` must be written. */
const isDue = (last: Sql, at: Sql): Sql => sql`
  (${at} is not null
   and (${last} is null
        or ${last} < ${at} - make_interval(secs => ${lastOcspSecondsMin})
        or (${last} < c.revoked_at and c.revoked_at <= ${at})))`;

/**
 * Records when the status of certificates was last requested; for devices, requests by the realm's RADIUS servers are
 * recorded separately from all others. Does not wait for locks: skips rows that other transactions hold, which the next
 * request will update. Returns how many rows were written.
 */
export async function recordAnswers(db: Db, answered: readonly Answered[]): Promise<number> {
  const counts = sql`(c.kind = 'infrastructure' or ${isRadiusServer(sql`r`, sql`a.address`)})`;
  const rows = await db.query<{ id: string }>(sql`
    with asked as (
      select c.id, max(a.at) filter (where ${counts}) as at, max(a.at) filter (where not ${counts}) as other_at
        from unnest(${answered.map(({ certificateId }) => certificateId)}::bigint[],
                    ${answered.map(({ address }) => address)}::inet[],
                    ${answered.map(({ at }) => at)}::timestamptz[]) as a (id, address, at)
        join certificates c on c.id = a.id
        join issuers i on i.id = c.issuer_id
        join realms r on r.id = i.realm_id
       group by c.id
    ), free as (
      select c.id, asked.at, asked.other_at
        from asked
        join certificates c on c.id = asked.id
       where ${isDue(sql`c.last_ocsp_at`, sql`asked.at`)}
          or ${isDue(sql`c.last_other_ocsp_at`, sql`asked.other_at`)}
       order by c.id
         for no key update of c skip locked
    )
    update certificates c
       set last_ocsp_at = greatest(c.last_ocsp_at, free.at),
           last_other_ocsp_at = greatest(c.last_other_ocsp_at, free.other_at)
      from free
     where c.id = free.id
    returning c.id
  `);
  return rows.length;
}
