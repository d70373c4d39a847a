import { sql, type Sql } from "../../../sql.ts";

/**
 * Resolves the id `given` of a row, as `i`: `user_id` is the person with exactly this id, else the only person who has
 * the id in another spelling (see `foldId` of the domain). If `user_id` is null, several `people` have the id, each in
 * another spelling, or no person has it.
 */
export const byId = (realmId: string, given: Sql): Sql => sql`
  lateral (
    select count(*)::integer as people,
           case when count(*) = 1 then min(id) else min(id) filter (where pairwise_id = ${given}) end as user_id,
           string_agg(pairwise_id, ', ' order by id) as ids
      from users
     where realm_id = ${realmId}
       and folded_id(pairwise_id) = folded_id(${given})
    offset 0) as i`;

/** The message of a row whose id matches several people, as an expression over `i`. */
export const severalSpellings = sql`'several people have this id in other spellings: ' || i.ids`;
