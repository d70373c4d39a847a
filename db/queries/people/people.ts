import type { Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A person as lists show them. */
export interface Person {
  id: string;
  pairwiseId: string;
  email: string;
  displayName: string | null;
  lockedAt: Date | null;
  offboardedAt: Date | null;
  forgottenAt: Date | null;
}

/** Returns people of the realm by their ids; unknown ids are left out. */
export const listByIds = (
  db: Db,
  { realmId, userIds }: { realmId: string; userIds: readonly string[] },
): Promise<Person[]> =>
  db.query<Person>(sql`
    select id, pairwise_id as "pairwiseId", email, display_name as "displayName", locked_at as "lockedAt",
           offboarded_at as "offboardedAt", forgotten_at as "forgottenAt"
      from users
     where id = any(${userIds}::bigint[])
       and realm_id = ${realmId}
  `);

/** People of one realm whose ids differ only in spelling, created before such ids were refused. */
export interface Twins {
  people: { userID: string; pairwiseID: string }[];
}

/** Returns the first `max` groups of people whose ids differ only in spelling, and how many groups there are in all. */
export async function findTwins(
  db: Db,
  { realmId, max }: { realmId: string; max: number },
): Promise<{ first: Twins[]; count: number }> {
  const rows = await db.query<Twins & { count: number }>(sql`
    select jsonb_agg(jsonb_build_object('userID', id::text, 'pairwiseID', pairwise_id) order by id) as people,
           count(*) over ()::integer as count
      from users
     where realm_id = ${realmId}
       and folded_id(pairwise_id) = any(array(
             select folded_id(pairwise_id) from users where realm_id = ${realmId} and twin > 0))
     group by folded_id(pairwise_id)
     order by min(id)
     limit ${max}
  `);
  return { first: rows.map(({ people }) => ({ people })), count: rows[0]?.count ?? 0 };
}
