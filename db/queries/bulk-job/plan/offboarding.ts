import { isActive, isAdministrator } from "../../../rules.ts";
import { sql, type Sql } from "../../../sql.ts";
import * as addresses from "./by-email.ts";
import * as ids from "./by-id.ts";

/**
 * Resolves the user of each of the rows `r`: by id, by pairwise id, or by both if they match; else by e-mail address.
 * Forgotten users are not found. `error_code` and `message` explain why no user was found. A user whom the check found
 * by address remains the row's user until the job ends.
 */
export const resolved = (rows: Sql, realmId: string): Sql => sql`
  select r.position, r.user_id as given_user_id, k.user_id, k.offboarded_at, k.offboarding_job_id,
         case when k.user_id is null then case when e.people > 1 then 'ambiguous_email'
                                               when i.people > 1 then 'ambiguous_user'
                                               else 'user_not_found' end end as error_code,
         case when k.user_id is null then case when e.people > 1 then ${addresses.severalPeople}
                                               when i.people > 1 then ${ids.severalSpellings} end end as message
    from ${rows} as r
    left join lateral (select id, offboarded_at, offboarding_job_id
                         from users
                        where id = r.user_id
                          and realm_id = ${realmId}
                          and forgotten_at is null
                          and (r.pairwise_id is null or folded_id(pairwise_id) = folded_id(r.pairwise_id)
                               or (r.pairwise_id = r.email and email_folded = lower(r.email)))
                       offset 0) by_id on r.user_id is not null
    left join ${ids.byId(realmId, sql`r.pairwise_id`)} on r.user_id is null
    left join lateral (select id, offboarded_at, offboarding_job_id from users where id = i.user_id offset 0) by_pairwise_id on true
    left join ${addresses.byEmail(realmId)} on by_id.id is null and by_pairwise_id.id is null
    left join lateral (select id, offboarded_at, offboarding_job_id from users where id = e.user_id offset 0) by_email on true
    cross join lateral (select coalesce(by_id.id, by_pairwise_id.id, by_email.id) as user_id,
                               coalesce(by_id.offboarded_at, by_pairwise_id.offboarded_at, by_email.offboarded_at)
                                 as offboarded_at,
                               coalesce(by_id.offboarding_job_id, by_pairwise_id.offboarding_job_id,
                                        by_email.offboarding_job_id) as offboarding_job_id) as k`;

/** Tests whether a user has a profile to revoke. */
export const hasActiveProfile = (userId: Sql, at: Date): Sql => sql`exists (
  select from certificates c where c.user_id = ${userId} and ${isActive(sql`c`, at)} offset 0)`;

/**
 * Tests whether offboarding the user of a row {@link resolved} as `p` changes anything. An offboarded user can still
 * have active profiles, for instance during a grace period or if a job ended early; the next job takes the user over.
 */
export const wouldLeave = (at: Date): Sql => sql`(p.offboarded_at is null or ${hasActiveProfile(sql`p.user_id`, at)})`;

/**
 * Tests whether a user is the last administrator of a realm who is not offboarded. Looks for other administrators only
 * if the user is an administrator.
 */
const isLastAdministrator = (userId: Sql, realmId: string): Sql => sql`
  case when (select a.offboarded_at is null and ${isAdministrator(sql`a`)} from users a where a.id = ${userId})
       then not exists (select from users o
                         where o.realm_id = ${realmId}
                           and o.id <> ${userId}
                           and o.offboarded_at is null
                           and ${isAdministrator(sql`o`)})
       else false end`;

/** Plans the offboarding of `rows`: the verdict for each row, and how many active profiles its user has. */
export const planOffboarding = (rows: Sql, { realmId, at }: { realmId: string; at: Date }): Sql => sql`
  select position, user_id, given_user_id,
         case when user_id is null or stays then 'failed' when ${wouldLeave(at)} then 'changed' else 'unchanged' end as verdict,
         case when stays then 'last_administrator' else error_code end as error_code, message,
         case when user_id is not null then (select count(*)::integer
                                               from certificates c
                                              where c.user_id = p.user_id
                                                and ${isActive(sql`c`, at)}) end as profiles
    from (${resolved(rows, realmId)}) as p
   cross join lateral (select ${isLastAdministrator(sql`p.user_id`, realmId)} as stays) as administrators`;
