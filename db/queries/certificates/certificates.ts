import type { DeviceType } from "../../../domain/certificate/device.ts";
import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import type { Role } from "../../../domain/people/roles.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import type { RevocationReason } from "../../../domain/certificate/revocation.ts";
import { first, only, type Db } from "../../client.ts";
import { isActive, rolesOf } from "../../rules.ts";
import { lookup, ofAnyLength, sql, type Sql } from "../../sql.ts";

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

/** Returns a profile of the realm by its kind and serial number. */
export async function findBySerialNumber(
  db: Db,
  { realmId, serialNumber, kind }: { realmId: string; serialNumber: string; kind: ProfileKind },
): Promise<Certificate | undefined> {
  return first(
    await db.query<Certificate>(lookup`
      select ${columns}
        from certificates c
       where c.realm_id = ${realmId}
         and c.serial_number = ${serialNumber}
         and c.kind = ${kind}
    `),
  );
}

/**
 * Returns the DNS names, in lower case, of active infrastructure profiles of the realm that are in none of these
 * domains.
 */
export async function listServersBeyond(
  db: Db,
  { realmId, domains, at, limit }: { realmId: string; domains: readonly string[]; at: Date; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ identity: string }>(sql`
    select distinct c.identity
      from certificates c
     where c.realm_id = ${realmId}
       and c.kind = 'infrastructure'
       and ${isActive(sql`c`, at)}
       and position('@' in c.identity) = 0
       and not exists (select
                         from unnest(${domains}::text[]) as d (domain)
                        where c.identity = d.domain
                           or right(c.identity, length(d.domain) + 1) = '.' || d.domain)
     order by c.identity
     limit ${limit}
  `);
  return rows.map(({ identity }) => identity);
}

/**
 * Returns the DNS names of the realm's servers whose last unrevoked certificate ends before `before`, and when that
 * certificate ends. A certificate that ended before `after` no longer belongs to any server.
 */
export const listServersEnding = (
  db: Db,
  { realmId, after, before }: { realmId: string; after: Date; before: Date },
): Promise<{ identity: string; notAfter: Date }[]> =>
  db.query(sql`
    select c.identity, max(c.not_after) as "notAfter"
      from certificates c
     where c.realm_id = ${realmId}
       and c.kind = 'infrastructure'
       and c.revoked_at is null
       and c.not_after > ${after}
       and position('@' in c.identity) = 0
     group by c.identity
    having max(c.not_after) < ${before}
     order by c.identity
  `);

/** Returns a user's profile, active or not, by its serial number. */
export async function findOfUser(
  db: Db,
  { realmId, userId, serialNumber }: { realmId: string; userId: string; serialNumber: string },
): Promise<Certificate | undefined> {
  const found = await findBySerialNumber(db, { realmId, serialNumber, kind: "user" });
  return found?.userId === userId ? found : undefined;
}

/**
 * How many of a realm's newest profiles are examined: if the network checks status at all, at least one of these was
 * checked within `askedDays`.
 */
const newestProfiles = 200;
const askedDays = 7;

/**
 * Returns whether the network checks the status of the realm's user and guest profiles, judged by the newest profiles.
 */
export async function areAskedAbout(db: Db, { realmId, at }: { realmId: string; at: Date }): Promise<boolean> {
  const newestOf = (kind: ProfileKind): Sql => sql`
    (select created_at, last_ocsp_at
       from certificates
      where realm_id = ${realmId}
        and kind = ${kind}
      order by created_at desc, id desc
      limit ${newestProfiles})`;
  const rows = await db.query<{ asked: boolean }>(sql`
    select coalesce(max(last_ocsp_at) > ${at}::timestamptz - make_interval(days => ${askedDays}), false) as asked
      from (select last_ocsp_at
              from (${newestOf("user")} union all ${newestOf("guest")}) as each_kind
             order by created_at desc
             limit ${newestProfiles}) as newest
  `);
  return only(rows).asked;
}

/** A profile that its owner can sign in with. */
export interface AuthableProfile {
  id: string;
  serialNumber: string;
  userId: string;
  pairwiseId: string;
  roles: Role[];
  /**
   * The scopes of the application that requested the profile: empty if the application was removed or is inactive;
   * null: no application requested it.
   */
  makerScopes: Scope[] | null;
}

/**
 * Returns the profile with this certificate, octet for octet, if its owner may sign in with it now: an authable
 * profile, unrevoked and within its validity, of a user who is not offboarded.
 */
export async function findAuthable(
  db: Db,
  { realmId, serialNumber, der, at }: { realmId: string; serialNumber: string; der: Uint8Array; at: Date },
): Promise<AuthableProfile | undefined> {
  return first(
    await db.query<AuthableProfile>(sql`
      select c.id, c.serial_number as "serialNumber", c.user_id as "userId", u.pairwise_id as "pairwiseId",
             ${rolesOf(sql`u`)} as roles,
             case when i.created_by_client_id is not null then coalesce(m.scopes, '{}') end as "makerScopes"
        from certificates c
        join users u on u.id = c.user_id
        join issuances i on i.id = c.issuance_id
        left join applications m on m.client_id = i.created_by_client_id and m.active
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

/** Returns whether a profile's certificate equals this certificate, octet for octet. */
export async function isSame(db: Db, { id, der }: { id: string; der: Uint8Array }): Promise<boolean> {
  const rows = await db.query(sql`select id from certificates where id = ${id} and certificate = ${der}`);
  return rows.length > 0;
}

/** Returns the SHA-256 of a profile's certificate. */
export async function thumbprintOf(db: Db, { id }: { id: string }): Promise<Buffer> {
  const rows = await db.query<{ thumbprint: Buffer }>(
    sql`select sha256(certificate) as thumbprint from certificates where id = ${id}`,
  );
  return only(rows).thumbprint;
}

/** Selects the profiles that these issuances produced, as {@link Certificate}. */
export const ofIssuances = (issuanceIds: readonly string[]): Sql => sql`
  select ${columns}
    from unnest(${ofAnyLength(issuanceIds, sql`uuid[]`)}) as asked (id)
   cross join lateral (select * from certificates where issuance_id = asked.id offset 0) c`;

/** Lists every profile of a user, newest first. */
export const listOfUser = (db: Db, { realmId, userId }: { realmId: string; userId: string }): Promise<Certificate[]> =>
  db.query<Certificate>(sql`
    select ${columns}
      from certificates c
     where c.realm_id = ${realmId}
       and c.user_id = ${userId}
     order by c.created_at desc, c.id desc
  `);

/** Lists the profiles of a user that are neither revoked nor expired, newest first. */
export const listActiveOfUser = (
  db: Db,
  { realmId, userId, at }: { realmId: string; userId: string; at: Date },
): Promise<Certificate[]> =>
  db.query<Certificate>(lookup`
    select ${columns}
      from certificates c
     where c.realm_id = ${realmId}
       and c.user_id = ${userId}
       and ${isActive(sql`c`, at)}
     order by c.created_at desc, c.id desc
  `);

/** A certificate and the hash of its public key. */
export interface CertifiedKey {
  serialNumber: string;
  /** DER. */
  certificate: Buffer;
  spkiSha256: Buffer;
}

/** Lists the ids of active profiles whose keys came in certification requests, in one pass over the issuances. */
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
