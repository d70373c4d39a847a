import type { DeviceType, KeyType } from "../../domain/device.ts";
import type { Realm } from "../../domain/realm.ts";
import { first, only, type Db } from "../client.ts";
import { sql } from "../sql.ts";

export interface RealmRow extends Realm {
  radiusCa: string | null;
  keyTypes: Partial<Record<DeviceType, KeyType>>;
  localSignIn: boolean;
  upstreamIssuer: string | null;
  upstreamClientId: string | null;
}

const columns = sql`
  id, name, display_name as "displayName", domain, logo_uri as "logoUri", max_profiles as "maxProfiles",
  max_valid_months as "maxValidMonths", radius_cn as "radiusCn", radius_ca as "radiusCa", key_types as "keyTypes",
  local_sign_in as "localSignIn", upstream_issuer as "upstreamIssuer", upstream_client_id as "upstreamClientId"`;

export async function findById(db: Db, id: string): Promise<RealmRow | undefined> {
  return first(await db.query<RealmRow>(sql`select ${columns} from realms where id = ${id}`));
}

export const listByIds = (db: Db, ids: readonly string[]): Promise<RealmRow[]> =>
  db.query<RealmRow>(sql`select ${columns} from realms where id = any(${ids}::bigint[])`);

/** Every realm, in the order they were made. */
export const list = (db: Db): Promise<RealmRow[]> => db.query<RealmRow>(sql`select ${columns} from realms order by id`);

export interface NewRealm {
  name: string;
  displayName: string;
  domain: string;
  localSignIn: boolean;
  at: Date;
}

/** Makes a realm. Throws a unique violation of `realms_name_key` when the name is taken. */
export async function create(db: Db, realm: NewRealm): Promise<RealmRow> {
  return only(
    await db.query<RealmRow>(sql`
      insert into realms (name, display_name, domain, local_sign_in, created_at)
      values (${realm.name}, ${realm.displayName}, ${realm.domain}, ${realm.localSignIn}, ${realm.at})
      returning ${columns}
    `),
  );
}

/** Reads a realm and keeps it from being changed by anyone else until the transaction ends. */
export async function lock(tx: Db, id: string): Promise<RealmRow> {
  return only(await tx.query<RealmRow>(sql`select ${columns} from realms where id = ${id} for update`));
}

/** Keeps anyone else from making a realm until the transaction ends. */
export async function lockAll(tx: Db): Promise<void> {
  await tx.query(sql`lock table realms in share row exclusive mode`);
}

export interface RealmChange {
  displayName?: string | undefined;
  radiusCn?: string | undefined;
  localSignIn?: boolean | undefined;
  upstreamIssuer?: string | undefined;
  upstreamClientId?: string | undefined;
  maxProfiles?: number | undefined;
  maxValidMonths?: number | undefined;
}

/** Changes what is given and leaves the rest. */
export async function update(db: Db, id: string, change: RealmChange): Promise<RealmRow> {
  return only(
    await db.query<RealmRow>(sql`
      update realms
         set display_name       = coalesce(${change.displayName ?? null}, display_name),
             radius_cn          = coalesce(${change.radiusCn ?? null}, radius_cn),
             local_sign_in      = coalesce(${change.localSignIn ?? null}, local_sign_in),
             upstream_issuer    = coalesce(${change.upstreamIssuer ?? null}, upstream_issuer),
             upstream_client_id = coalesce(${change.upstreamClientId ?? null}, upstream_client_id),
             max_profiles       = coalesce(${change.maxProfiles ?? null}, max_profiles),
             max_valid_months   = coalesce(${change.maxValidMonths ?? null}, max_valid_months)
       where id = ${id}
      returning ${columns}
    `),
  );
}
