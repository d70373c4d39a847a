import { sql, type Sql } from "../../../sql.ts";

/**
 * Resolves the e-mail address of the row `r`, as `e`: `user_id` and `pairwise_id` if exactly one person has the
 * address, and the number of `people` who have it and their `ids`, both only of the first few. Ignores letter case.
 * Applies if the row identifies the person only by the address, or also by a pairwise id with the same text; other rows
 * have no `e`, and nothing is looked up.
 */
export const byEmail = (realmId: string): Sql => sql`
  lateral (
    select counted.*
      from (select count(*)::integer as people,
                   case when count(*) = 1 then min(id) end as user_id,
                   case when count(*) = 1 then min(pairwise_id) end as pairwise_id,
                   string_agg(pairwise_id, ', ' order by id) as ids
              from (select id, pairwise_id
                      from users
                     where realm_id = ${realmId}
                       and email_folded = lower(r.email)
                     order by id
                     limit ${shownMax}
                    offset 0) as found
            offset 0) as counted
     where r.user_id is null
       and (r.pairwise_id is null or r.pairwise_id = r.email)
    offset 0) as e`;

/** How many people a message names: enough to show that the address is shared. */
const shownMax = 5;

/** The message of a row whose address several people have, as an expression over `e`. */
export const severalPeople = sql`'several people have this e-mail address: ' || e.ids`;
