import { certificateValidity } from "../../../domain/certificate/certificate-profile.ts";
import type { CertificateFormat } from "../../../domain/certificate/format.ts";
import type { DeviceType, KeyType } from "../../../domain/certificate/device.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import type { IssuanceID, IssuerID, SerialNumber } from "../../../domain/ids.ts";
import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import { settledChannel } from "../../channels.ts";
import type { Db } from "../../client.ts";
import { abandonSerials, hasEnded, isDnsName, profileEnd, profileRefusal, shutOutCode } from "../../rules.ts";
import { ofAnyLength, sql, type Sql } from "../../sql.ts";

/**
 * The worker's side of issuances: claim, fail, return to the queue; settling is in `db/operations/settlement.ts`. Each
 * function runs a single statement for a whole batch.
 */

/**
 * How long a claim lasts without renewal, and thus how long a crashed worker delays the issuances that it had claimed.
 */
export const leaseSeconds = 20;

/** How often a worker renews the claims that it holds. */
export const renewSeconds = 5;

/** An issuance claimed this often without a result fails: it may have crashed its worker each time. */
export const claimsMax = 10;

/** An issuance fails after this many failed attempts while its issuer could sign. */
export const failuresMax = 5;

/**
 * One claimed issuance, with the intent that the row now holds. Signing uses these values, never values from the queue.
 */
export interface ClaimedIssuance {
  id: IssuanceID;
  claimId: string;
  kind: ProfileKind;
  name: string;
  deviceType: DeviceType | null;
  format: CertificateFormat;
  keyType: KeyType;
  csr: string | null;
  issuerId: IssuerID;
  serialNumber: SerialNumber;
  identity: string;
  notBefore: Date;
  notAfter: Date;
  organization: string;
  realmDomain: string;
  /** The DNS domains that the realm permits in addition to its own. */
  infrastructureDomains: string[];
  failures: number;
  /** The request that created the issuance, for the log; null: the issuance predates request ids. */
  requestId: string | null;
}

/** The random values that the worker draws for each issuance that it tries to claim. */
export interface Draw {
  id: string;
  serialNumber: string;
  /** The random part of the identity. */
  label: string;
}

/**
 * Returns when the certificate of issuance `i` ends if it is issued at `at`. The row of guest account `g` may be
 * missing.
 */
const endOf = (at: Date): Sql => profileEnd(sql`i`, sql`g`, at);

/**
 * Returns why issuance `i` gets no certificate from issuer `s`; null if it can get one. The row of `s`, and of the
 * guest account `g`, may be missing. The issuance already counts towards its owner's limit.
 */
const refusalOf = (at: Date): Sql =>
  profileRefusal({ expiresAt: sql`g.expires_at`, issuerNotAfter: sql`s.not_after`, end: endOf(at) }, at);

/**
 * Claims the issuances that no worker holds (queued, or with an expired lease) and records the intent: issuer, serial
 * number, identity and validity. A serial number from an earlier attempt is abandoned in the same statement. Does not
 * return issuances that are settled, that another worker holds, that were claimed {@link claimsMax} times, that no
 * issuer outlives, whose issuer is not among `issuerIds`, or whose guest account has ended.
 */
export const claim = (
  db: Db,
  {
    draws,
    issuerIds,
    claimId,
    at,
  }: { draws: readonly Draw[]; issuerIds: readonly string[]; claimId: string; at: Date },
): Promise<ClaimedIssuance[]> =>
  db.query<ClaimedIssuance>(sql`
    with drawn as (
      select *
        from unnest(${ofAnyLength(
          draws.map(({ id }) => id),
          sql`uuid[]`,
        )},
                    ${ofAnyLength(
                      draws.map(({ serialNumber }) => serialNumber),
                      sql`text[]`,
                    )},
                    ${ofAnyLength(
                      draws.map(({ label }) => label),
                      sql`text[]`,
                    )}) as d (id, serial_number, label)
    ), free as (
      select i.id, i.issuer_id, i.serial_number, i.not_after,
             d.serial_number as next_serial_number, s.id as next_issuer_id, ${endOf(at)} as next_not_after,
             case when i.kind = 'infrastructure' and ${isDnsName(sql`i.name`)}
                  then lower(i.name)
                  else d.label || '@' || r.domain
             end as identity,
             r.display_name as organization, r.domain as realm_domain, r.infrastructure_domains
        from drawn d
        join issuances i on i.id = d.id
        join realms r on r.id = i.realm_id
        join issuers s on s.realm_id = r.id and s.issuing
        left join guest_accounts g on g.id = i.guest_account_id
       where (i.status = 'queued' or (i.status = 'signing' and i.lease_expires_at < ${at}))
         and i.claims < ${claimsMax}
         and s.id = any(${issuerIds}::bigint[])
         and ${refusalOf(at)} is null
         for no key update of i skip locked
    ), abandoned as (
      ${abandonSerials(sql`free`, at)}
    )
    update issuances i
       set status = 'signing',
           claims = i.claims + 1,
           claim_id = ${claimId},
           lease_expires_at = ${at}::timestamptz + make_interval(secs => ${leaseSeconds}),
           issuer_id = free.next_issuer_id,
           serial_number = free.next_serial_number,
           identity = free.identity,
           not_before = ${at}::timestamptz - make_interval(secs => ${certificateValidity.backdateSeconds}),
           not_after = free.next_not_after
      from free
     where i.id = free.id
    returning i.id, i.claim_id as "claimId", i.kind, i.name, i.device_type as "deviceType", i.format,
              i.key_type as "keyType", i.csr, i.issuer_id as "issuerId", i.serial_number as "serialNumber",
              i.identity, i.not_before as "notBefore", i.not_after as "notAfter", free.organization,
              free.realm_domain as "realmDomain", free.infrastructure_domains as "infrastructureDomains", i.failures,
              i.request_id as "requestId"
  `);

/**
 * Renews the claims of work in progress. Skips rows that are being settled: they need no lease any more, and waiting
 * for them could deadlock, because settling locks rows in a different order.
 */
export async function renew(db: Db, { claimIds, at }: { claimIds: readonly string[]; at: Date }): Promise<void> {
  await db.query(sql`
    update issuances
       set lease_expires_at = ${at}::timestamptz + make_interval(secs => ${leaseSeconds})
     where id in (select id
                    from issuances
                   where claim_id = any(${claimIds}::uuid[])
                     and status = 'signing'
                     for no key update skip locked)
  `);
}

/** An issuance that no worker holds and that could not be claimed. */
export interface Unclaimed {
  id: string;
  /** Null: the realm has no issuer. */
  issuerId: IssuerID | null;
  /** Why retrying does not help; null: a retry can help. */
  code: ErrorCode | null;
  /** The request that created the issuance. */
  requestId: string | null;
}

/**
 * Returns why issuances could not be claimed. If the issuer is not among `issuerIds`, the decision is left to a worker
 * that has the issuer, except when no attempt is left or the guest account has ended.
 */
export const unclaimed = (
  db: Db,
  { ids, issuerIds, at }: { ids: readonly string[]; issuerIds: readonly string[]; at: Date },
): Promise<Unclaimed[]> =>
  db.query(sql`
    select id, "issuerId", "requestId",
           case when "issuerId" is null or "issuerId" = any(${issuerIds}::bigint[])
                     or code in ('issuance_failed', 'guest_account_ended')
                then code
           end as code
      from (select i.id, s.id as "issuerId", i.request_id as "requestId",
                   case when i.claims >= ${claimsMax} then 'issuance_failed' else ${refusalOf(at)} end as code
              from issuances i
              left join issuers s on s.realm_id = i.realm_id and s.issuing
              left join guest_accounts g on g.id = i.guest_account_id
             where i.id = any(${ids}::uuid[])
               and (i.status = 'queued' or (i.status = 'signing' and i.lease_expires_at < ${at}))) as unclaimed
  `);

/** An attempt that ended without a certificate. */
export interface FailedAttempt {
  id: string;
  /**
   * Why the issuance fails; `"owner"`: the reason depends on the owner's state; null: the issuance returns to the
   * queue, or fails after {@link failuresMax} counted attempts.
   */
  code: ErrorCode | "owner" | null;
  /** Describes the fault of the request to the requester; undefined: the requester sees only the code. */
  detail?: string | undefined;
  /** Whether the attempt counts towards {@link failuresMax}; false if the issuer's key could not be used. */
  counted: boolean;
}

/**
 * Ends attempts: abandons their serial numbers, and fails each issuance with the attempt's code. An issuance whose
 * attempt has no code returns to the queue, or fails after {@link failuresMax} counted attempts. Attempts that this
 * claim no longer holds stay as they are.
 */
export async function abandon(
  db: Db,
  { attempts, claimId, at }: { attempts: readonly FailedAttempt[]; claimId: string; at: Date },
): Promise<void> {
  await db.query(sql`
    with given as (
      select *
        from unnest(${attempts.map(({ id }) => id)}::uuid[], ${attempts.map(({ code }) => code)}::text[],
                    ${attempts.map(({ detail }) => detail ?? null)}::text[],
                    ${attempts.map(({ counted }) => counted)}::boolean[]) as g (id, code, detail, counted)
    ), held as (
      select i.id, i.issuer_id, i.serial_number, i.not_after, i.failures + g.counted::integer as failures,
             g.detail,
             case when g.code is distinct from 'owner' then g.code
                  when i.guest_account_id is not null then 'guest_account_ended'
                  else ${shutOutCode(sql`u`)}
             end as code
        from given g
        join issuances i on i.id = g.id
        left join users u on u.id = i.user_id
       where i.status = 'signing'
         and i.claim_id = ${claimId}
       order by i.id
         for no key update of i
    ), abandoned as (
      ${abandonSerials(sql`held`, at)}
    ), released as (
      update issuances i
         set status = 'queued', failures = held.failures, claim_id = null, lease_expires_at = null,
             issuer_id = null, serial_number = null, identity = null, not_before = null, not_after = null
        from held
       where i.id = held.id
         and held.code is null
         and held.failures < ${failuresMax}
    ), failed as (
      update issuances i
         set status = 'failed', failures = held.failures, finished_at = ${at},
             error_code = coalesce(held.code, 'issuance_failed'), error_detail = held.detail
        from held
       where i.id = held.id
         and (held.code is not null or held.failures >= ${failuresMax})
      returning i.id
    )
    select pg_notify(${settledChannel}, id::text) from failed
  `);
}

/** Fails issuances that no worker can ever claim, and abandons the serial number of an earlier attempt. */
export async function failUnclaimed(
  db: Db,
  { rows, at }: { rows: readonly { id: string; code: ErrorCode }[]; at: Date },
): Promise<void> {
  await db.query(sql`
    with given as (
      select * from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ code }) => code)}::text[]) as g (id, code)
    ), unsettled as (
      select i.id, i.issuer_id, i.serial_number, i.not_after, g.code
        from given g
        join issuances i on i.id = g.id
       where i.status = 'queued' or (i.status = 'signing' and i.lease_expires_at < ${at})
       order by i.id
         for no key update of i
    ), abandoned as (
      ${abandonSerials(sql`unsettled`, at)}
    ), failed as (
      update issuances i
         set status = 'failed', finished_at = ${at}, error_code = unsettled.code
        from unsettled
       where i.id = unsettled.id
      returning i.id
    )
    select pg_notify(${settledChannel}, id::text) from failed
  `);
}

/**
 * Returns issuances that wait too long: queued without a bulk job for longer than the queue takes, or claimed by a
 * worker that died. Skips issuances whose issuer is among `away`, so they do not delay other issuances. Still returns
 * issuances that fail without an issuer, because no attempt is left or the guest account has ended.
 */
export async function overdue(
  db: Db,
  { away, at, queuedSeconds, limit }: { away: readonly string[]; at: Date; queuedSeconds: number; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select i.id
      from issuances i
      left join guest_accounts g on g.id = i.guest_account_id
     where ((i.status = 'queued' and i.batch_id is null
             and i.created_at < ${at}::timestamptz - make_interval(secs => ${queuedSeconds}))
            or (i.status = 'signing' and i.lease_expires_at < ${at}))
       and (not exists (select
                          from issuers s
                         where s.realm_id = i.realm_id
                           and s.issuing
                           and s.id = any(${away}::bigint[]))
            or i.claims >= ${claimsMax}
            or (g.id is not null and ${hasEnded(sql`g`, at)}))
     order by i.created_at
     limit ${limit}
  `);
  return rows.map(({ id }) => id);
}
