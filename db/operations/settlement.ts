import { settledChannel } from "../channels.ts";
import type { Db } from "../client.ts";
import { bytesAt } from "../byte-columns.ts";
import { hasEnded, isShutOut } from "../rules.ts";
import { ofAnyLength, sql } from "../sql.ts";

/** A signed certificate and its sealed output, ready to be stored in the database. */
export interface SignedIssuance {
  id: string;
  certificate: Uint8Array;
  spkiSha256: Uint8Array;
  sealed: Uint8Array;
  dataKeyId: string;
}

/**
 * Turns signed issuances into certificates: certificate, sealed output, state, audit entry and the notification of
 * waiting requests, all or nothing. Locks the owner's row first, so a user who has been locked or offboarded, or a
 * guest account that has ended, gets no certificate. Returns the ids that are settled now; the caller abandons the
 * remaining issuances, which this claim no longer holds or which are no longer wanted.
 *
 * Batches share data keys. The first batch to settle stores the key; a key that was blanked because nothing was sealed
 * with it any more is stored again. Locking the key's row prevents blanking until this transaction commits.
 *
 * Signed values are found by their array position: a join would compare each issuance of the claim with all of them.
 *
 * Owners are looked up one by one: in a join, Postgres expects hardly any users who are not locked out in a new table
 * without statistics, and reads all issuances for each user.
 */
export async function settle(
  db: Db,
  batch: {
    signed: readonly SignedIssuance[];
    dataKeys: readonly { id: string; wrapped: Uint8Array }[];
    claimId: string;
    at: Date;
  },
): Promise<string[]> {
  const { signed, dataKeys, claimId, at } = batch;
  const ids = signed.map(({ id }) => id);
  const place = sql`array_position(${ids}::uuid[], i.id)`;
  const certificates = signed.map(({ certificate }) => certificate);
  const spkiHashes = signed.map(({ spkiSha256 }) => spkiSha256);
  const outputs = signed.map(({ sealed }) => sealed);
  const rows = await db.query<{ id: string }>(sql`
    with signed as (
      select unnest(${ofAnyLength(ids, sql`uuid[]`)}) as id
    ), owners as materialized (
      select i.user_id, i.guest_account_id
        from signed s
       cross join lateral (select user_id, guest_account_id from issuances where id = s.id offset 0) i
    ), owning_users as materialized (
      select u.id
        from (select distinct user_id from owners order by user_id) o
       cross join lateral (select id
                             from users
                            where id = o.user_id
                              and not ${isShutOut(sql`users`)}
                              for share) u
    ), owning_guest_accounts as materialized (
      select g.id
        from (select distinct guest_account_id from owners order by guest_account_id) o
       cross join lateral (select id
                             from guest_accounts
                            where id = o.guest_account_id
                              and not ${hasEnded(sql`guest_accounts`, at)}
                              for share) g
    ), settled as (
      update issuances i
         set status = 'issued', finished_at = ${at}
       where i.status = 'signing'
         and i.claim_id = ${claimId}
         and ${place} is not null
         and (i.user_id is null or i.user_id in (select id from owning_users))
         and (i.guest_account_id is null or i.guest_account_id in (select id from owning_guest_accounts))
      returning i.id, i.realm_id, i.issuer_id, i.serial_number, i.kind, i.user_id, i.guest_account_id, i.name,
                i.description, i.device_type, i.authable, i.identity, i.not_before, i.not_after, i.batch_id,
                i.created_by_user_id, i.created_by_client_id, i.renews_certificate_id, ${place} as place,
                (${signed.map(({ dataKeyId }) => dataKeyId)}::uuid[])[${place}] as data_key_id
    ), certified as (
      insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, guest_account_id, name,
                                description, device_type, authable, identity, certificate, spki_sha256, created_at,
                                not_before, not_after)
      select realm_id, issuer_id, serial_number, id, kind, user_id, guest_account_id, name,
             description, device_type, authable, identity,
             ${bytesAt(certificates, sql`place`)}, ${bytesAt(spkiHashes, sql`place`)}, ${at}, not_before, not_after
        from settled
    ), used_keys as materialized (
      select d.id, d.wrapped, k.wrapped as stored
        from unnest(${ofAnyLength(
          dataKeys.map(({ id }) => id),
          sql`uuid[]`,
        )},
                    ${ofAnyLength(
                      dataKeys.map(({ wrapped }) => wrapped),
                      sql`bytea[]`,
                    )})
          as d (id, wrapped)
        left join lateral (select wrapped
                             from output_data_keys
                            where id = d.id
                           offset 0
                              for key share) k on true
       where d.id in (select data_key_id from settled)
       order by d.id
    ), data_keys as (
      insert into output_data_keys (id, wrapped, created_at)
      select id, wrapped, ${at}
        from used_keys
       where stored is null
      on conflict do nothing
    ), restored_keys as (
      update output_data_keys k
         set wrapped = u.wrapped
        from used_keys u
       where k.id = u.id
         and u.stored = ''
    ), outputs as (
      insert into issuance_outputs (issuance_id, data_key_id, sealed, created_at, job_id)
      select id, data_key_id, ${bytesAt(outputs, sql`place`)}, ${at}, batch_id
        from settled
    ), audited as (
      insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
      select realm_id, ${at},
             case kind when 'user' then 'profile_create'
                       when 'guest' then 'guest_profile_create'
                       else 'infrastructure_profile_create' end,
             created_by_user_id, created_by_client_id,
             jsonb_strip_nulls(jsonb_build_object(
               'serial', serial_number, 'name', case when kind <> 'user' then name end, 'user', user_id::text, 'guestAccount', guest_account_id::text,
               'deviceType', device_type, 'issuance', id, 'issuerID', issuer_id::text, 'expirationTime', not_after, 'job', batch_id,
               'replaces', (select c.serial_number from certificates c where c.id = renews_certificate_id)))
        from settled
    ), noticed as (
      select pg_notify(${settledChannel}, string_agg(id::text, ',')) from settled
    )
    select settled.id from settled, noticed
  `);
  return rows.map(({ id }) => id);
}
