import { sql, type Sql } from "../../../sql.ts";

/**
 * Resolves the user profile of each of the rows `r` by its serial number; `certificate_id` is null if the realm has no
 * such profile. The realm is compared afterwards: the serial number alone finds the certificate.
 */
export const profilesOf = (rows: Sql, realmId: string): Sql => sql`
  select r.position, c.id as certificate_id, c.user_id, c.revoked_at
    from ${rows} as r
    left join lateral (select id, realm_id, kind, user_id, revoked_at
                         from certificates
                        where serial_number = r.serial_number
                       offset 0) c on c.realm_id = ${realmId} and c.kind = 'user'`;

/** Plans the revocation of `rows`. Also revokes expired profiles, as a revocation without a job does. */
export const planRevocation = (rows: Sql, { realmId }: { realmId: string }): Sql => sql`
  select position, user_id, null::bigint as given_user_id,
         case when certificate_id is null then 'failed' when revoked_at is null then 'changed' else 'unchanged' end as verdict,
         case when certificate_id is null then 'profile_not_found' end as error_code, null::text as message,
         case when certificate_id is not null then (revoked_at is null)::integer end as profiles
    from (${profilesOf(rows, realmId)}) as p`;
