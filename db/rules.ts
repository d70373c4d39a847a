import { dnsNameLengthMax, dnsNamePattern } from "../domain/certificate/certificate-profile.ts";
import { replacedHours } from "../domain/lifetimes.ts";
import { claimScopes, impliedScopes } from "../domain/people/scopes.ts";
import { join, sql, type Sql } from "./sql.ts";

/**
 * The rules of `domain/certificate/` as fragments of SQL. A parameter named after a row is the row's alias, as `sql`,
 * never a value.
 */

/** A value, or the column that contains it. */
type Instant = Date | Sql;

/** Returns how many profiles user `u` of realm `r` may have. */
export const limitOf = (u: Sql, r: Sql): Sql =>
  sql`case when ${u}.profile_override > 0 then ${u}.profile_override else ${r}.max_profiles end`;

/** SQL that tests whether certificate `c` is neither revoked nor expired. */
export const isActive = (c: Sql, at: Instant): Sql => sql`(${c}.revoked_at is null and ${c}.not_after > ${at})`;

/**
 * SQL that tests whether job `j` is held: its people are offboarded and keep their devices until a person confirms the
 * job.
 */
export const isHeldJob = (j: Sql): Sql => sql`(${j}.state = 'grace' and ${j}.revoke_at is null)`;

/** SQL that tests whether issuance `i` has neither been issued nor failed. */
export const isUnsettled = (i: Sql): Sql => sql`${i}.status in ('queued', 'signing')`;

/**
 * SQL that tests whether hand-over `h` still waits for output `o` to be fetched: it is erased only together with its
 * profile's revocation.
 */
export const isUnfetched = (h: Sql, o: Sql): Sql =>
  sql`(${o}.sealed is not null and ${o}.collected_at is null and ${h}.downloaded_at is null)`;

/**
 * Returns the earliest time at which the profile that issuance `i` replaces is revoked; null: it replaces none, or its
 * file was never sent. The previous release stores no such time, and only replaces profiles beyond the limit.
 */
export const replacedEnd = (i: Sql): Sql => sql`
  coalesce(${i}.replaced_ends_at,
           case when ${i}.beyond_limit then ${i}.finished_at + make_interval(hours => ${replacedHours}) end)`;

/** Returns how many active profiles and unsettled issuances a user has. */
export const countOfUser = (userId: string | Sql, at: Instant): Sql => sql`
  ((select count(*)
      from certificates c
     where c.user_id = ${userId}
       and ${isActive(sql`c`, at)})::integer
   + (select count(*)
        from issuances i
       where i.user_id = ${userId}
         and ${isUnsettled(sql`i`)})::integer)`;

/**
 * Returns when the profile of issuance `i` ends if it is issued at `at`; the profile of a guest ends no later than
 * account `g`.
 */
export function profileEnd(i: Sql, g: Sql | null, at: Instant): Sql {
  const longest = sql`${at}::timestamptz + make_interval(months => ${i}.validity_months)`;
  return g === null ? longest : sql`least(${longest}, ${g}.expires_at)`;
}

/**
 * SQL that tests whether an address counts as a RADIUS server of realm `r`: the realm names the address, or names no
 * address. An unknown address is null, and counts only if the realm names none.
 */
export const isRadiusServer = (r: Sql, address: Sql): Sql =>
  sql`(cardinality(${r}.radius_addresses) = 0 or coalesce(${address} <<= any(${r}.radius_addresses), false))`;

/** SQL that tests whether a text is a DNS name of a host, as `certificate-profile.ts` defines it. */
export const isDnsName = (name: Sql): Sql =>
  sql`(length(${name}) <= ${dnsNameLengthMax} and ${name} ~* ${dnsNamePattern})`;

/** SQL that tests whether guest account `g` has been revoked or has expired. */
export const hasEnded = (g: Sql, at: Date): Sql => sql`(${g}.revoked_at is not null or ${g}.expires_at <= ${at})`;

/** SQL that tests whether user `u` is excluded from profiles, whatever the limit and the issuer. */
export const isShutOut = (u: Sql): Sql => sql`(${u}.locked_at is not null or ${u}.offboarded_at is not null)`;

/** Returns the error code for why user `u` is shut out ({@link isShutOut}); null if the user is not shut out. */
export const shutOutCode = (u: Sql): Sql =>
  sql`case ${whenShutOut({ offboardedAt: sql`${u}.offboarded_at`, lockedAt: sql`${u}.locked_at` })} end`;

const whenShutOut = ({ offboardedAt, lockedAt }: Pick<OwnerColumns, "offboardedAt" | "lockedAt">): Sql => sql`
       ${offboardedAt ? sql`when ${offboardedAt} is not null then 'user_offboarded'` : sql``}
       ${lockedAt ? sql`when ${lockedAt} is not null then 'user_locked'` : sql``}`;

/** The columns that decide whether an owner gets another profile; columns that this kind of owner lacks are omitted. */
export interface OwnerColumns {
  /** Columns of a user. */
  offboardedAt?: Sql;
  lockedAt?: Sql;
  /** Columns of a guest account. */
  revokedAt?: Sql;
  expiresAt?: Sql;
  /** Omitted if the profile is already counted; a null limit means unlimited. */
  room?: { count: Sql; limit: Sql };
  issuerNotAfter: Sql;
  /** See {@link profileEnd}. */
  end: Sql;
}

/** Returns why an owner gets no further profile at `at`; null if the owner can get one. */
export const profileRefusal = (o: OwnerColumns, at: Instant): Sql => sql`
  case ${whenShutOut(o)}
       ${o.revokedAt ? sql`when ${o.revokedAt} is not null then 'guest_account_ended'` : sql``}
       ${o.expiresAt ? sql`when ${o.expiresAt} <= ${at} then 'guest_account_ended'` : sql``}
       ${o.room ? sql`when ${o.room.count} >= ${o.room.limit} then 'profile_limit_reached'` : sql``}
       when ${o.issuerNotAfter} is null then 'no_issuer'
       when ${o.end} > ${o.issuerNotAfter} then 'issuer_expiring'
  end`;

/** Returns the roles of user `u`, assigned here and by the identity provider. */
export const rolesOf = (u: Sql): Sql => sql`(${u}.roles || ${u}.provider_roles)`;

/** SQL that tests whether user `u` administers the realm. */
export const isAdministrator = (u: Sql): Sql => sql`('administrator' = any(${rolesOf(u)}))`;

/** Adds the scopes of claims, which every useragent may request, to an array of scopes. */
export const withClaims = (scopes: Sql): Sql => sql`(${scopes} || ${claimScopes}::text[])`;

/** Adds implied scopes to an array of scopes. */
export const withImplied = (scopes: Sql): Sql =>
  sql`(${scopes} || ${join(
    Object.entries(impliedScopes).map(
      ([scope, implied]) => sql`case when ${scope} = any(${scopes}) then ${implied}::text[] else '{}' end`,
    ),
    sql` || `,
  )})`;

/** Returns the name of the RADIUS server of realm `r`. */
export const radiusServerName = (r: Sql): Sql => sql`coalesce(${r}.radius_cn, 'radius.' || ${r}.domain)`;

/**
 * Abandons the serial numbers of attempts that have ended: rows of `from` with `id`, `issuer_id`, `serial_number`
 * (null: none was drawn) and `not_after`.
 */
export const abandonSerials = (from: Sql, at: Date): Sql => sql`
  insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
  select issuer_id, serial_number, id, not_after, ${at}
    from ${from}
   where serial_number is not null
  on conflict do nothing`;
