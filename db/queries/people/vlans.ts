import type { HeldVlan } from "../../../domain/people/vlan.ts";
import { first, type Db } from "../../client.ts";
import { isActive } from "../../rules.ts";
import { sql } from "../../sql.ts";

interface InRealm {
  realmId: string;
  userId: string;
}

/** A person's VLANs and the default of their realm. */
export interface VlanOfUser extends HeldVlan {
  realmDefault: string | null;
}

/** Returns a person's VLANs; undefined when the realm has no such person. */
export async function find(db: Db, { realmId, userId }: InRealm): Promise<VlanOfUser | undefined> {
  return first(
    await db.query<VlanOfUser>(sql`
      select v.given, v.from_provider as "fromProvider", r.vlan_default as "realmDefault"
        from users u
        join realms r on r.id = u.realm_id
        left join user_vlans v on v.user_id = u.id
       where u.realm_id = ${realmId} and u.id = ${userId}
    `),
  );
}

/** Sets only a person's VLANs: `db/operations/vlans.ts` does the rest. */
export async function update(tx: Db, { realmId, userId, given, fromProvider }: InRealm & HeldVlan): Promise<void> {
  if (given === null && fromProvider === null) {
    await tx.query(sql`delete from user_vlans where user_id = ${userId} and realm_id = ${realmId}`);
    return;
  }
  await tx.query(sql`
    insert into user_vlans (user_id, realm_id, given, from_provider)
    values (${userId}, ${realmId}, ${given}, ${fromProvider})
    on conflict (user_id) do update set given = excluded.given, from_provider = excluded.from_provider
  `);
}

/** Returns the realm's default VLAN, for people without a VLAN; null: no default. */
export async function findDefault(db: Db, { realmId }: { realmId: string }): Promise<string | null> {
  const [realm] = await db.query<{ vlan: string | null }>(sql`
    select vlan_default as vlan from realms where id = ${realmId}
  `);
  return realm?.vlan ?? null;
}

/** A device and its VLAN. */
export interface VlanLine {
  userId: string;
  id: string;
  /** The common name of the device's certificate. */
  identity: string;
  vlan: string;
}

/** Lists active profiles of people with a VLAN of their own, in the order of people, after a given line. */
export const listLines = (
  db: Db,
  { realmId, at, behind, limit }: { realmId: string; at: Date; behind: VlanLine | undefined; limit: number },
): Promise<VlanLine[]> =>
  db.query<VlanLine>(sql`
    select v.user_id as "userId", c.id, c.identity, coalesce(v.given, v.from_provider) as vlan
      from user_vlans v
      join certificates c on c.user_id = v.user_id and c.realm_id = v.realm_id
     where v.realm_id = ${realmId}
       and v.user_id >= ${behind?.userId ?? "0"}::bigint
       and (v.user_id, c.id) > (${behind?.userId ?? "0"}::bigint, ${behind?.id ?? "0"}::bigint)
       and ${isActive(sql`c`, at)}
     order by v.user_id, c.id
     limit ${limit}
  `);
