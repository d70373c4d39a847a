import { isActive } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";

/** The user of each of the rows `r`: by id, by pairwise id, or by both when they mean the same person. Forgotten ones are not found. */
export const resolved = (rows: Sql, realmId: string): Sql => sql`
  select r.position, r.user_id as given_user_id, coalesce(by_id.id, by_pairwise_id.id) as user_id,
         coalesce(by_id.offboarded_at, by_pairwise_id.offboarded_at) as offboarded_at,
         coalesce(by_id.offboarding_job_id, by_pairwise_id.offboarding_job_id) as offboarding_job_id
    from ${rows} as r
    left join lateral (select id, offboarded_at, offboarding_job_id
                         from users
                        where id = r.user_id
                          and realm_id = ${realmId}
                          and forgotten_at is null
                          and (r.pairwise_id is null or pairwise_id = r.pairwise_id)
                       offset 0) by_id on r.user_id is not null
    left join lateral (select id, offboarded_at, offboarding_job_id
                         from users
                        where realm_id = ${realmId}
                          and pairwise_id = r.pairwise_id
                       offset 0) by_pairwise_id on r.user_id is null`;

/** Whether a user has a profile to revoke. */
export const hasActiveProfile = (userId: Sql, at: Date): Sql => sql`exists (
  select from certificates c where c.user_id = ${userId} and ${isActive(sql`c`, at)} offset 0)`;

/**
 * Whether offboarding the user of a row {@link resolved} as `p` changes anything. One who is offboarded with an active
 * profile was left so by a job that did not end well: the next one takes the user over.
 */
export const wouldLeave = (at: Date): Sql => sql`(p.offboarded_at is null or ${hasActiveProfile(sql`p.user_id`, at)})`;

/** What becomes of `rows` when their people are offboarded now. */
export const planOffboarding = (rows: Sql, { realmId, at }: { realmId: string; at: Date }): Sql => sql`
  select position, user_id, given_user_id,
         case when user_id is null then 'failed' when ${wouldLeave(at)} then 'changed' else 'unchanged' end as verdict,
         case when user_id is null then 'user_not_found' end as error_code
    from (${resolved(rows, realmId)}) as p`;
