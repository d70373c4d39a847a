import { radiusServerName } from "../../../domain/certificate/entitlement.ts";
import type { SetupAdministrator, SetupFacts } from "../../../domain/setup.ts";
import { mappedRoles } from "../../../domain/people/upstream-claims.ts";
import { only, type Db } from "../../client.ts";
import { isActive, isAdministrator, isRadiusServer } from "../../rules.ts";
import { sql } from "../../sql.ts";
import * as realms from "./realms.ts";
import type { RealmRow } from "./realms.ts";

/** The most addresses in each list. */
const askersMax = 10;

/** Returns how far a realm is set up. */
export async function findFacts(db: Db, { realm, at }: { realm: RealmRow; at: Date }): Promise<SetupFacts> {
  const realmId = realm.id;
  const issuer = realms.hasUpstream(realm) ? realm.upstreamIssuer : null;
  const [wasUsed, administrators, serverCertificateEndsAt, askers, otherAskers, ownDevice, peopleHaveProfiles] =
    await Promise.all([
      isProviderUsed(db, { realmId, issuer }),
      listAdministrators(db, { realm, issuer }),
      findServerCertificate(db, { realm, at }),
      listAskers(db, { realmId, areServers: true }),
      listAskers(db, { realmId, areServers: false }),
      findOwnDevice(db, { realmId, at }),
      doPeopleHaveProfiles(db, { realmId }),
    ]);
  return {
    domain: realm.domain,
    ssids: realm.ssids,
    areSsidsConfirmed: realm.ssidsConfirmed,
    hasRadiusCa: realm.radiusCa !== null,
    provider: issuer === null ? null : { issuer, wasUsed },
    administrators,
    serverCertificateEndsAt,
    askers,
    otherAskers,
    ownDevice,
    peopleHaveProfiles,
  };
}

async function isProviderUsed(
  db: Db,
  { realmId, issuer }: { realmId: string; issuer: string | null },
): Promise<boolean> {
  const rows = await db.query(sql`
    select from upstream_identities where realm_id = ${realmId} and issuer = ${issuer} limit 1
  `);
  return rows.length > 0;
}

/** Returns at most two administrators, those who can sign in first: callers only distinguish one from several. */
const listAdministrators = (
  db: Db,
  { realm: { id: realmId, localSignIn, upstreamClaims }, issuer }: { realm: RealmRow; issuer: string | null },
): Promise<SetupAdministrator[]> =>
  db.query<SetupAdministrator>(sql`
    select l.username,
           ${localSignIn}::boolean and coalesce(l.password_hash is not null, false) as "hasPassword",
           i.user_id is not null as "isKnownToProvider",
           i.user_id is not null
             and ${mappedRoles(upstreamClaims).includes("administrator")}::boolean
             and not 'administrator' = any(u.provider_roles) as "isKept"
      from users u
      left join local_credentials l on l.user_id = u.id
      left join upstream_identities i on i.user_id = u.id and i.issuer = ${issuer}
     where u.realm_id = ${realmId}
       and u.offboarded_at is null
       and ${isAdministrator(sql`u`)}
     order by (${localSignIn}::boolean and coalesce(l.password_hash is not null, false)) or i.user_id is not null desc, u.id
     limit 2
  `);

async function findServerCertificate(db: Db, { realm, at }: { realm: RealmRow; at: Date }): Promise<Date | null> {
  const rows = await db.query<{ endsAt: Date | null }>(sql`
    select max(c.not_after) as "endsAt"
      from certificates c
     where c.realm_id = ${realm.id}
       and c.identity = lower(${radiusServerName(realm)})
       and c.kind = 'infrastructure'
       and ${isActive(sql`c`, at)}
  `);
  return only(rows).endsAt;
}

/**
 * Lists addresses that asked for the status of the realm's certificates, latest first, at most {@link askersMax}:
 * either RADIUS servers or other addresses.
 */
const listAskers = (
  db: Db,
  { realmId, areServers }: { realmId: string; areServers: boolean },
): Promise<{ address: string; lastAt: Date }[]> =>
  db.query(sql`
    select host(s.address) as address, max(s.last_at) as "lastAt"
      from issuers i
      join realms r on r.id = i.realm_id
      join status_askers s on s.issuer_id = i.id
     where i.realm_id = ${realmId}
       and ${isRadiusServer(sql`r`, sql`s.address`)} = ${areServers}
     group by s.address
     order by max(s.last_at) desc, s.address
     limit ${askersMax}
  `);

async function findOwnDevice(db: Db, { realmId, at }: { realmId: string; at: Date }): Promise<SetupFacts["ownDevice"]> {
  const rows = await db.query<SetupFacts["ownDevice"]>(sql`
    select coalesce(bool_or(${isActive(sql`c`, at)}), false) as "hasProfile", max(c.last_ocsp_at) as "checkedAt"
      from users u
      join certificates c on c.user_id = u.id
     where u.realm_id = ${realmId}
       and u.offboarded_at is null
       and ${isAdministrator(sql`u`)}
  `);
  return only(rows);
}

async function doPeopleHaveProfiles(db: Db, { realmId }: { realmId: string }): Promise<boolean> {
  const rows = await db.query(sql`
    select
      from user_profile_counts p
      join users u on u.id = p.user_id
     where p.realm_id = ${realmId}
       and p.profile_count > 0
       and not ${isAdministrator(sql`u`)}
     limit 1
  `);
  return rows.length > 0;
}
