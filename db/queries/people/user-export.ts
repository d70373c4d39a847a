import { first, only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** Everything that the tables hold about one person, for that person's export: never a secret, a key or a hash. */

interface OfUser {
  realmId: string;
  userId: string;
}

/** How the person can sign in, and where they are signed in. */
export interface SignIns {
  username: string | null;
  identities: { issuer: string; subject: string; createdAt: Date }[];
  logins: { method: string; signedInAt: Date; expiresAt: Date }[];
  links: { createdAt: Date; expiresAt: Date; consumedAt: Date | null }[];
  /** When the identity provider or the directory began to report that they may not use the realm; null: they may. */
  notPermittedSince: Date | null;
}

export async function findSignIns(db: Db, { realmId, userId }: OfUser): Promise<SignIns> {
  const [accounts, identities, logins, links, users] = await Promise.all([
    db.query<{ username: string }>(sql`
      select username from local_credentials where realm_id = ${realmId} and user_id = ${userId}
    `),
    db.query<SignIns["identities"][number]>(sql`
      select issuer, subject, created_at as "createdAt"
        from upstream_identities where realm_id = ${realmId} and user_id = ${userId} order by created_at, issuer
    `),
    db.query<SignIns["logins"][number]>(sql`
      select method, signed_in_at as "signedInAt", expires_at as "expiresAt"
        from logins where realm_id = ${realmId} and user_id = ${userId} order by signed_in_at, id
    `),
    db.query<SignIns["links"][number]>(sql`
      select l.created_at as "createdAt", l.expires_at as "expiresAt", l.consumed_at as "consumedAt"
        from sign_in_links l
        join users u on u.id = l.user_id
       where u.realm_id = ${realmId} and l.user_id = ${userId}
       order by l.created_at
    `),
    db.query<{ notPermittedSince: Date | null }>(sql`
      select not_permitted_since as "notPermittedSince" from users where realm_id = ${realmId} and id = ${userId}
    `),
  ]);
  const { notPermittedSince } = only(users);
  return { username: accounts[0]?.username ?? null, identities, logins, links, notPermittedSince };
}

/** The directory's entry about the person. */
export interface DirectoryEntry {
  connection: string | null;
  userName: string;
  externalId: string | null;
  active: boolean;
  /** The values of attributes that the realm names, by path. */
  attributes: Readonly<Record<string, unknown>>;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

/** Returns the person's row of a directory; undefined: no directory has named them. */
export async function findDirectoryEntry(db: Db, { realmId, userId }: OfUser): Promise<DirectoryEntry | undefined> {
  return first(
    await db.query<DirectoryEntry>(sql`
      select client_id as connection, user_name as "userName", external_id as "externalId", active, attributes,
             created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt"
        from scim_users where realm_id = ${realmId} and user_id = ${userId}
    `),
  );
}

/** A profile that was issued to the person, with its certificate. */
export interface ExportedProfile {
  id: string;
  serialNumber: string;
  name: string;
  description: string | null;
  deviceType: string | null;
  identity: string;
  authable: boolean;
  createdAt: Date;
  notBefore: Date;
  notAfter: Date;
  revokedAt: Date | null;
  revocationReason: number | null;
  firstOcspAt: Date | null;
  firstRefusedAt: Date | null;
  lastOcspAt: Date | null;
  lastOtherOcspAt: Date | null;
  /** DER. */
  certificate: Buffer;
}

/** Lists the person's profiles, active or not, in the order of their ids after `afterId`. */
export const listProfiles = (
  db: Db,
  { realmId, userId, afterId, limit }: OfUser & { afterId: string; limit: number },
): Promise<ExportedProfile[]> =>
  db.query<ExportedProfile>(sql`
    select id, serial_number as "serialNumber", name, description, device_type as "deviceType", identity, authable,
           created_at as "createdAt", not_before as "notBefore", not_after as "notAfter", revoked_at as "revokedAt",
           revocation_reason as "revocationReason", first_ocsp_at as "firstOcspAt",
           first_refused_at as "firstRefusedAt", last_ocsp_at as "lastOcspAt",
           last_other_ocsp_at as "lastOtherOcspAt", certificate
      from certificates
     where realm_id = ${realmId}
       and user_id = ${userId}
       and id > ${afterId}::bigint
     order by id
     limit ${limit}
  `);

/** A requested profile whose issuance failed or is still in progress. */
export interface ExportedRequest {
  state: string;
  name: string;
  description: string | null;
  deviceType: string | null;
  csr: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  errorCode: string | null;
}

export const listRequests = (db: Db, { realmId, userId }: OfUser): Promise<ExportedRequest[]> =>
  db.query<ExportedRequest>(sql`
    select status as state, name, description, device_type as "deviceType", csr, created_at as "createdAt",
           finished_at as "finishedAt", error_code as "errorCode"
      from (select * from issuances where user_id = ${userId} and status in ('queued', 'signing')
            union all
            select * from issuances where user_id = ${userId} and status = 'failed') as i
     where realm_id = ${realmId}
     order by created_at, id
  `);

export interface ExportedHandOver {
  name: string;
  deviceType: string;
  createdAt: Date;
  expiresAt: Date;
  claimedAt: Date | null;
  pickedUpAt: Date | null;
  pickedUpBy: string | null;
  /** The `client_id` of the app that fetches the file; null: self-service. */
  app: string | null;
}

export const listHandOvers = (db: Db, { realmId, userId }: OfUser): Promise<ExportedHandOver[]> =>
  db.query<ExportedHandOver>(sql`
    select name, device_type as "deviceType", created_at as "createdAt", expires_at as "expiresAt",
           claimed_at as "claimedAt", picked_up_at as "pickedUpAt", picked_up_by as "pickedUpBy", app
      from hand_overs
     where realm_id = ${realmId}
       and user_id = ${userId}
     order by created_at, id
  `);

/** Lists the ids of the realm's bulk jobs, except those whose upload is in progress. */
export async function listJobIds(db: Db, { realmId }: { realmId: string }): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from jobs where realm_id = ${realmId} and state <> 'receiving' order by created_at, id
  `);
  return rows.map(({ id }) => id);
}

/** A row of a bulk job that is about the person. */
export interface ExportedJobRow {
  job: string;
  kind: string;
  createdAt: Date;
  row: number;
  columns: string[];
  input: (string | null)[];
  status: string;
  errorCode: string | null;
  message: string | null;
}

/**
 * Lists the rows of a job that are about the person: by user id or, in a row without a user id, by pairwise id in any
 * spelling.
 */
export const listJobRows = (
  db: Db,
  { realmId, userId, pairwiseId, jobId }: OfUser & { pairwiseId: string; jobId: string },
): Promise<ExportedJobRow[]> =>
  db.query<ExportedJobRow>(sql`
    select j.id as job, j.kind, j.created_at as "createdAt", r.position as row, j.columns, r.input, r.status,
           r.error_code as "errorCode", r.message
      from jobs j
      join job_rows r on r.job_id = j.id
     where j.realm_id = ${realmId}
       and j.id = ${jobId}
       and (r.user_id = ${userId} or (r.user_id is null and folded_id(r.pairwise_id) = folded_id(${pairwiseId})))
     order by r.position
  `);

/** The position up to which the audit log has been read. */
export interface AuditPlace {
  at: string;
  id: string;
}

/** An audit entry by the person or about them. */
export interface ExportedAudit {
  id: string;
  at: Date;
  event: string;
  clientId: string | null;
  byPerson: boolean;
  /** Null unless the entry is about the person, who may not see the properties of other entries. */
  properties: Record<string, unknown> | null;
}

/**
 * Reads the next `limit` audit entries of the realm and returns those by the person or about them, in order, and where
 * to continue; `place` is undefined at the end. Reads entries by date, a page at a time, not by subject.
 */
export async function listAudit(
  db: Db,
  { realmId, userId, after, limit }: OfUser & { after: AuditPlace; limit: number },
): Promise<{ entries: ExportedAudit[]; place: AuditPlace | undefined }> {
  const rows = await db.query<ExportedAudit & { lastAt: string; lastId: string; found: boolean; read: number }>(sql`
    with page as materialized (
      select id, at, event, user_id, client_id, properties,
             properties ->> 'userID' = ${userId} or properties ->> 'user' = ${userId} as about
        from audit_entries
       where realm_id = ${realmId}
         and (at, id) > (${after.at}::timestamptz, ${after.id}::bigint)
       order by at, id
       limit ${limit}
    ), last as (
      select at::text as at, id, (select count(*) from page)::integer as read from page order by page.at desc, id desc limit 1
    )
    select last.at as "lastAt", last.id as "lastId", last.read, p.id is not null as found, p.id, p.at, p.event,
           p.client_id as "clientId", p.user_id is not distinct from ${userId}::bigint as "byPerson",
           case when p.about then p.properties end as properties
      from last
      left join page p on p.about or p.user_id = ${userId}
     order by p.at, p.id
  `);
  const [last] = rows;
  return {
    entries: rows.filter(({ found }) => found),
    place: last === undefined || last.read < limit ? undefined : { at: last.lastAt, id: last.lastId },
  };
}

/** Returns whether the person has exported their data since `since`. */
export async function wasExportedSince(db: Db, { realmId, userId, since }: OfUser & { since: Date }): Promise<boolean> {
  const rows = await db.query(sql`
    select
      from audit_entries
     where realm_id = ${realmId}
       and event = 'user_export'
       and at > ${since}
       and user_id = ${userId}
       and properties ->> 'userID' = ${userId}
     limit 1
  `);
  return rows.length > 0;
}
