import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A restore of the database from a backup, as its entry records it. */
export interface Restore {
  id: string;
  /** The last position of the realm's chain in the backup. */
  position: number;
}

/** Returns the restores of a realm's database among these entries, newest first. */
export const listRestores = (
  db: Db,
  { realmId, ids }: { realmId: string; ids: readonly string[] },
): Promise<Restore[]> =>
  db.query<Restore>(sql`
    select id, (properties->>'position')::float8 as position
      from audit_entries
     where realm_id = ${realmId}
       and event = 'database_restore'
       and id = any(${ids}::bigint[])
     order by id desc
  `);

/**
 * Returns the newest restore of a realm's database that is not in the chain up to a position; undefined if there is no
 * such restore.
 */
export async function findRestoreBeyond(
  db: Db,
  { realmId, position }: { realmId: string; position: number },
): Promise<Restore | undefined> {
  return first(
    await db.query<Restore>(sql`
      select e.id, (e.properties->>'position')::float8 as position
        from audit_entries e
       where e.realm_id = ${realmId}
         and e.event = 'database_restore'
         and not exists (select from audit_seals s where s.entry_id = e.id and s.position <= ${position}::bigint)
       order by e.id desc
       limit 1
    `),
  );
}

/** Returns the hashes, in the exported chain, up to which lost entries were replayed. */
export async function listReplayed(db: Db, realmId: string): Promise<Set<string>> {
  const rows = await db.query<{ hash: string }>(sql`
    select properties->>'hash' as hash
      from audit_entries
     where realm_id = ${realmId}
       and event = 'revocation_replay'
  `);
  return new Set(rows.map(({ hash }) => hash));
}
