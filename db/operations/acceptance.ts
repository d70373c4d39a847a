import type { Actor } from "../../domain/audit/audit.ts";
import type { CertificateFormat } from "../../domain/certificate/format.ts";
import { askedKeyType, defaultKeyType, type DeviceType, type KeyType } from "../../domain/certificate/device.ts";
import type { ProfileRefusal } from "../../domain/certificate/entitlement.ts";
import type { Database } from "../client.ts";
import { countOfUser, limitOf, profileEnd, profileRefusal } from "../rules.ts";
import { ofAnyLength, sql, type Sql } from "../sql.ts";

/** A request for a user's profile. */
export interface ProfileRequest {
  /** The id of the issuance. */
  id: string;
  realmId: string;
  userId: string;
  name: string;
  deviceType: DeviceType;
  format: CertificateFormat;
  keyType?: KeyType | undefined;
  csr?: string | undefined;
  allowAuth: boolean;
  actor: Actor;
  at: Date;
  /** The id of the request that creates the issuance, for the log. */
  requestId: string;
  /** SHA-256 of the cookie by which a device is recognised. {@link acceptTogether} gets no cookie. */
  deviceHash?: Uint8Array | null;
}

/**
 * Accepts requests for users' profiles together, in one transaction: once it commits, each accepted request will be
 * settled. Returns for each request the reason for its refusal, or null if it is accepted. Throws, and accepts no
 * request, if the database rejects a row or another transaction holds an owner's row: waiting for that row would delay
 * other users' requests.
 */
export async function acceptTogether(
  db: Database,
  wanted: readonly ProfileRequest[],
): Promise<(ProfileRefusal | null)[]> {
  const [, , rows = []] = await db.pipelined([
    sql`set local lock_timeout = '50ms'`,
    lockOwners(wanted),
    createUnlessRefused(wanted),
  ]);
  const refusals = new Map((rows as Judged[]).map(({ id, refusal }) => [id, refusal]));
  return wanted.map(({ id }) => refusals.get(id) ?? null);
}

interface Judged {
  id: string;
  refusal: ProfileRefusal | null;
}

/** Locks owners in the order of their ids, as all code does, so two batches never deadlock. */
const lockOwners = (wanted: readonly ProfileRequest[]): Sql => sql`
  select u.id
    from (select distinct realm_id, id
            from unnest(${ofAnyLength(
              wanted.map(({ realmId }) => realmId),
              sql`bigint[]`,
            )},
                        ${ofAnyLength(
                          wanted.map(({ userId }) => userId),
                          sql`bigint[]`,
                        )}) as w (realm_id, id)
           order by id) o
   cross join lateral (select id
                         from users
                        where realm_id = o.realm_id
                          and id = o.id
                          for no key update) u`;

/**
 * Creates the issuances of requests that are not refused. A separate statement, so it sees the state after the rows
 * were locked. An owner's earlier requests count towards the limit. Looks up each row separately, because Postgres
 * keeps a plan that it made before the tables had statistics.
 */
const createUnlessRefused = (wanted: readonly ProfileRequest[]): Sql => {
  const at = sql`w.created_at`;
  const refusal = profileRefusal(
    {
      offboardedAt: sql`o.offboarded_at`,
      lockedAt: sql`o.locked_at`,
      room: { count: sql`o.count + w.before`, limit: sql`o.profiles_max` },
      issuerNotAfter: sql`o.issuer_not_after`,
      end: profileEnd(sql`o`, null, at),
    },
    at,
  );
  return sql`
    with wanted as (
      select *, row_number() over (partition by user_id order by place) - 1 as before
        from unnest(${ofAnyLength(
          wanted.map(({ id }) => id),
          sql`uuid[]`,
        )},
                    ${ofAnyLength(
                      wanted.map(({ realmId }) => realmId),
                      sql`bigint[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ userId }) => userId),
                      sql`bigint[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ name }) => name),
                      sql`text[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ deviceType }) => deviceType),
                      sql`text[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ format }) => format),
                      sql`text[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map((request) => askedKeyType(request) ?? null),
                      sql`text[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ deviceType }) => defaultKeyType[deviceType]),
                      sql`text[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ csr }) => csr ?? null),
                      sql`text[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ allowAuth }) => allowAuth),
                      sql`boolean[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map((request) => request.at),
                      sql`timestamptz[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ actor }) => actor.userId),
                      sql`bigint[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ actor }) => actor.clientId),
                      sql`text[]`,
                    )},
                    ${ofAnyLength(
                      wanted.map(({ requestId }) => requestId),
                      sql`uuid[]`,
                    )})
             with ordinality as w (id, realm_id, user_id, name, device_type, format, key_type, usual_key_type, csr, authable,
                                   created_at, created_by_user_id, created_by_client_id, request_id, place)
    ), judged as (
      select w.*, o.validity_months, o.key_types,
             case when o.id is null then 'user_not_found' else ${refusal} end as refusal
        from wanted w
        left join lateral (select u.id, u.offboarded_at, u.locked_at, ${limitOf(sql`u`, sql`r`)} as profiles_max,
                                  r.max_valid_months as validity_months, r.key_types, s.not_after as issuer_not_after,
                                  ${countOfUser(sql`u.id`, at)} as count
                             from users u
                             join realms r on r.id = u.realm_id
                             left join issuers s on s.realm_id = r.id and s.issuing
                            where u.realm_id = w.realm_id
                              and u.id = w.user_id
                           offset 0) o on true
    ), created as (
      insert into issuances (id, realm_id, kind, user_id, name, device_type, format, key_type, csr, authable,
                             validity_months, created_at, created_by_user_id, created_by_client_id, request_id)
      select id, realm_id, 'user', user_id, name, device_type, format,
             coalesce(key_type, key_types ->> device_type, usual_key_type), csr, authable,
             validity_months, created_at, created_by_user_id, created_by_client_id, request_id
        from judged
       where refusal is null
    )
    select id, refusal from judged`;
};
