import { sql, type Sql } from "../../../sql.ts";

/**
 * Whom the id `given` of a row means, as `i`: `user_id`, who has it as it is written, else the one person who has it in
 * another spelling (see `foldId` of the domain); null beside `people`: several have it, each in another spelling, or nobody.
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

/** The message of a row whose id means several people, as an expression over `i`. */
export const severalSpellings = sql`'several people have this id in other spellings: ' || i.ids`;
