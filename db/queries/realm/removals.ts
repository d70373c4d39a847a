import { only, type Db } from "../../client.ts";
import { sql, type Sql } from "../../sql.ts";

/**
 * How many people of a realm were offboarded, and profiles revoked, within the last hour without anybody having confirmed
 * the number, whatever did it. What people revoke of their own is not counted. The count is of whole minutes.
 */

interface InRealm {
  realmId: string;
  at: Date;
}

/** How many others went off within the hour, and the realm's share. */
interface Recent {
  before: number;
  sharePercent: number;
}

const recent = ({ realmId, at }: InRealm): Sql => sql`
  select offboarding_share_percent as "sharePercent",
         (select coalesce(sum(removals), 0)::integer
            from recent_removals
           where realm_id = ${realmId}
             and minute > ${at}::timestamptz - interval '1 hour') as before
    from realms
   where id = ${realmId}`;

export const find = async (db: Db, of: InRealm): Promise<Recent> => only(await db.query<Recent>(recent(of)));

/** Makes others of the realm that take several off at once wait until the transaction ends, so that each sees what the one before took. */
export async function lock(tx: Db, realmId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('removals', ${realmId}::bigint))`);
}

/**
 * Counts so many, and returns what was counted before. Call in the transaction that takes them off, as the last thing of it:
 * those of the same connection and minute wait for its end.
 */
export async function add(tx: Db, { count, ...of }: InRealm & { count: number }): Promise<Recent> {
  const { realmId, at } = of;
  return only(
    await tx.query<Recent>(sql`
      with added as (
        insert into recent_removals as r (realm_id, place, slot, minute, removals)
        values (${realmId}, extract(minute from ${at}::timestamptz), pg_backend_pid() % 16,
                date_trunc('minute', ${at}::timestamptz), ${count})
        on conflict (realm_id, place, slot) do update
          set removals = case when r.minute >= excluded.minute then r.removals + excluded.removals
                              else excluded.removals end,
              minute = greatest(r.minute, excluded.minute)
      )
      ${recent(of)}
    `),
  );
}

/** Counts so many no longer that this transaction has counted: their number is confirmed. */
export async function takeBack(tx: Db, { realmId, count, at }: InRealm & { count: number }): Promise<void> {
  await tx.query(sql`
    update recent_removals
       set removals = removals - ${count}
     where realm_id = ${realmId}
       and place = extract(minute from ${at}::timestamptz)
       and slot = pg_backend_pid() % 16
  `);
}

/** Of what there is a share. */
export type Counted = "people" | "profiles";

/** How many people, or profiles of people, are active in a realm. */
export async function countActive(db: Db, { of, realmId, at }: InRealm & { of: Counted }): Promise<number> {
  const { active } = only(
    await db.query<{ active: number }>(
      of === "people"
        ? sql`select count(*)::integer as active from users where realm_id = ${realmId} and offboarded_at is null`
        : sql`select count(*)::integer as active from active_profiles where realm_id = ${realmId} and not_after > ${at}`,
    ),
  );
  return active;
}
