import type { DeviceType } from "../../../domain/certificate/device.ts";
import type { Db } from "../../client.ts";
import { isUnsettled } from "../../rules.ts";
import { sql } from "../../sql.ts";

/** How many requests for profiles reached each step; each count includes the requests that reached the next step. */
export interface OnboardingSteps {
  asked: number;
  made: number;
  /** Profiles whose file was fetched; a checked profile counts as fetched even if no fetch was recorded. */
  fetched: number;
  /** Profiles that a RADIUS server asked about. */
  seen: number;
}

/**
 * Skips the latest `most` profiles since an instant and returns when the next older profile was issued; undefined if
 * there is no older profile. Reads only an index.
 */
export async function findBound(
  db: Db,
  { realmId, since, most }: { realmId: string; since: Date; most: number },
): Promise<Date | undefined> {
  const [bound] = await db.query<{ at: Date }>(sql`
    select created_at as at
      from certificates
     where realm_id = ${realmId}
       and kind = 'user'
       and created_at > ${since}
     order by created_at desc, id desc
    offset ${most}
     limit 1
  `);
  return bound?.at;
}

/**
 * Counts requests for users' profiles since an instant by kind of device, largest count first; requests that still wait
 * are counted at any age.
 */
export const count = (
  db: Db,
  { realmId, since }: { realmId: string; since: Date },
): Promise<(OnboardingSteps & { deviceType: DeviceType | null })[]> =>
  db.query(sql`
    select "deviceType", count(*)::integer as asked, count(*) filter (where made)::integer as made,
           count(*) filter (where fetched)::integer as fetched, count(*) filter (where seen)::integer as seen
      from (select c.device_type as "deviceType", true as made,
                   c.last_ocsp_at is not null or o.collected_at is not null as fetched, c.last_ocsp_at is not null as seen
              from certificates c
              left join issuance_outputs o on o.issuance_id = c.issuance_id
             where c.realm_id = ${realmId}
               and c.kind = 'user'
               and c.created_at > ${since}
             union all
            select device_type, false, false, false
              from issuances
             where realm_id = ${realmId}
               and kind = 'user'
               and status = 'failed'
               and created_at > ${since}
             union all
            select i.device_type, false, false, false
              from issuances i
             where ${isUnsettled(sql`i`)}
               and i.realm_id = ${realmId}
               and i.kind = 'user') as requests
     group by "deviceType"
     order by asked desc, "deviceType"
  `);
