import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** Records that the realm's audit log has been exported up to a position. */
export async function note(db: Db, { realmId, position, at }: { realmId: string; position: number; at: Date }) {
  await db.query(sql`
    insert into audit_exports (realm_id, position, at)
    values (${realmId}, ${position}, ${at})
    on conflict (realm_id) do update set position = excluded.position, at = excluded.at
  `);
}

/** Returns when the realm's audit log was last exported or, if it never was, when the realm was created. */
export async function keptSince(db: Db, realmId: string): Promise<{ at: Date; isExported: boolean } | undefined> {
  return first(
    await db.query<{ at: Date; isExported: boolean }>(sql`
      select coalesce(e.at, r.created_at) as at, e.at is not null as "isExported"
        from realms r
        left join audit_exports e on e.realm_id = r.id
       where r.id = ${realmId}
    `),
  );
}

/** Lists when each realm's audit log was last exported or, if it never was, when the realm was created. */
export const listKeptSince = (db: Db): Promise<{ realmId: string; at: Date }[]> =>
  db.query(sql`
    select r.id as "realmId", coalesce(e.at, r.created_at) as at
      from realms r
      left join audit_exports e on e.realm_id = r.id
  `);
