import { only, type Db } from "../../client.ts";
import { sql, type Sql } from "../../sql.ts";

/**
 * Removals: how many people of a realm were offboarded, and how many profiles were revoked, within the last hour by any
 * action, except actions whose number was confirmed. Profiles that people revoke themselves are not counted. Counts are
 * kept per minute.
 */

interface InRealm {
  realmId: string;
  at: Date;
}

/** How many other removals there were within the last hour, and the realm's share. */
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

/** Makes other bulk removals of the realm wait until the transaction ends, so each sees all earlier removals. */
export async function lock(tx: Db, realmId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('removals', ${realmId}::bigint))`);
}

/**
 * Adds to the count, and returns the previous count. Call it as the last statement of the transaction that removes:
 * until that transaction ends, other removals of the same minute wait if their connections share its slot.
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

/** Subtracts removals that this transaction has counted, because their number is confirmed. */
export async function takeBack(tx: Db, { realmId, count, at }: InRealm & { count: number }): Promise<void> {
  await tx.query(sql`
    update recent_removals
       set removals = removals - ${count}
     where realm_id = ${realmId}
       and place = extract(minute from ${at}::timestamptz)
       and slot = pg_backend_pid() % 16
  `);
}

/** The population that a share refers to. */
export type Counted = "people" | "profiles";

/** Counts the active people, or profiles of people, in a realm. */
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
