import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** Notes that the realm's audit log is in files up to a position. */
export async function note(db: Db, { realmId, position, at }: { realmId: string; position: number; at: Date }) {
  await db.query(sql`
    insert into audit_exports (realm_id, position, at)
    values (${realmId}, ${position}, ${at})
    on conflict (realm_id) do update set position = excluded.position, at = excluded.at
  `);
}

/** When the realm's audit log was exported last; for one that never was, when the realm was made. */
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

/** When each realm's audit log was exported last, or since when it never was. */
export const listKeptSince = (db: Db): Promise<{ realmId: string; at: Date }[]> =>
  db.query(sql`
    select r.id as "realmId", coalesce(e.at, r.created_at) as at
      from realms r
      left join audit_exports e on e.realm_id = r.id
  `);
