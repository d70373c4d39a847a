import type { Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** Who somebody is, as far as lists that name people say it. */
export interface Person {
  id: string;
  pairwiseId: string;
  email: string;
  displayName: string | null;
  lockedAt: Date | null;
  offboardedAt: Date | null;
  forgottenAt: Date | null;
}

/** People of the realm by their ids; those that are not there are left out. */
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
