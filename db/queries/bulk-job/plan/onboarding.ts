import type { DeviceType, KeyType } from "../../../../domain/certificate/device.ts";
import { only, type Db } from "../../../client.ts";
import { isActive, isUnsettled, limitOf, profileEnd, profileRefusal } from "../../../rules.ts";
import { sql, type Sql } from "../../../sql.ts";
import * as addresses from "./by-email.ts";
import * as ids from "./by-id.ts";

/** A realm's settings for its users, read once per slice, so all rows of the slice are judged alike. */
export interface RealmTerms {
  maxProfiles: number;
  maxValidMonths: number;
  keyTypes: Partial<Record<DeviceType, KeyType>>;
  issuerNotAfter: Date | null;
}

export async function termsOf(db: Db, { realmId }: { realmId: string }): Promise<RealmTerms> {
  return only(
    await db.query<RealmTerms>(sql`
      select r.max_profiles as "maxProfiles", r.max_valid_months as "maxValidMonths", r.key_types as "keyTypes",
             i.not_after as "issuerNotAfter"
        from realms r
        left join issuers i on i.realm_id = r.id and i.issuing
       where r.id = ${realmId}
    `),
  );
}

type Judging = Pick<RealmTerms, "maxProfiles" | "maxValidMonths" | "issuerNotAfter"> & { realmId: string; at: Date };

/**
 * Selects the rows `r`, each with the pairwise id `n.pairwise_id` of its user: the row's own id, else the id of the
 * user who had the row's e-mail address at the check, or of the only user who has it now. Null if there is no such user
 * or, according to `e.people`, there are several.
 */
export const named = (rows: Sql, realmId: string): Sql => sql`
  ${rows} as r
  left join ${addresses.byEmail(realmId)} on r.pairwise_id is null
  left join lateral (select pairwise_id
                       from users
                      where id = r.user_id
                        and realm_id = ${realmId}
                     offset 0) as checked on r.pairwise_id is null
  cross join lateral (select coalesce(r.pairwise_id, checked.pairwise_id, e.pairwise_id) as pairwise_id) as n`;

/**
 * Plans the onboarding of `rows`: who the users are, what changes for them, and what prevents it. A profile that the
 * user already has, by name and device type, or that is being issued for them, is not issued again. Looks up each row
 * separately, which is the best plan for any number of rows.
 */
export const planOnboarding = (
  rows: Sql,
  { realmId, maxProfiles, maxValidMonths, issuerNotAfter, at }: Judging,
): Sql => sql`
  select judged.*,
         case when error_code is not null then 'failed' when issues or differs then 'changed' else 'unchanged' end as verdict
    from (select known.*,
                 email_after is distinct from email_before or override_after is distinct from override_before as differs,
                 case when lacking is not null then lacking
                      when offboarded_at is not null or issues then ${profileRefusal(
                        {
                          offboardedAt: sql`offboarded_at`,
                          lockedAt: sql`locked_at`,
                          room: { count: sql`held`, limit: limitOf(sql`planned`, sql`terms`) },
                          issuerNotAfter: sql`terms.issuer_not_after`,
                          end: profileEnd(sql`terms`, null, at),
                        },
                        at,
                      )} end as error_code
            from (select r.position, r.user_id as given_user_id, n.pairwise_id, r.profile_name, r.device_type, r.format,
                         u.id as user_id, u.locked_at, u.offboarded_at,
                         case when n.pairwise_id is null
                              then case when e.people > 1 then 'ambiguous_email' else 'user_not_found' end
                              when i.user_id is null and i.people > 1 then 'ambiguous_user' end as lacking,
                         case when n.pairwise_id is null then case when e.people > 1 then ${addresses.severalPeople} end
                              when i.user_id is null and i.people > 1 then ${ids.severalSpellings} end as message,
                         u.email as email_before, u.profile_override as override_before,
                         case when r.pairwise_id is null then u.email
                              else coalesce(nullif(r.email, ''), u.email, '') end as email_after,
                         coalesce(r.max_profiles, u.profile_override, 0) as override_after,
                         coalesce(c.active, 0) + coalesce(s.unsettled, 0) as held,
                         r.profile_name is not null and not coalesce(c.same, false) and not coalesce(s.same, false) as issues
                    from ${named(rows, realmId)}
                    cross join ${ids.byId(realmId, sql`n.pairwise_id`)}
                    left join lateral (select id, email, profile_override, locked_at, offboarded_at
                                         from users
                                        where id = i.user_id
                                       offset 0) u on true
                    left join lateral (select count(*) as active,
                                              bool_or(c.name = r.profile_name and c.device_type = r.device_type) as same
                                         from certificates c
                                        where c.user_id = u.id
                                          and ${isActive(sql`c`, at)}
                                       offset 0) c on r.profile_name is not null
                    left join lateral (select count(*) as unsettled,
                                              bool_or(s.name = r.profile_name and s.device_type = r.device_type) as same
                                         from issuances s
                                        where s.user_id = u.id
                                          and ${isUnsettled(sql`s`)}
                                       offset 0) s on r.profile_name is not null) as known
           cross join lateral (select override_after as profile_override) as planned
           cross join (select ${maxProfiles}::integer as max_profiles, ${maxValidMonths}::integer as validity_months,
                              ${issuerNotAfter}::timestamptz as issuer_not_after) as terms) as judged`;
