import { sql, type Sql } from "../../../sql.ts";
import * as offboardPlan from "./offboarding.ts";

/**
 * Tests whether the offboarded user of a row resolved as `p` is reactivated: an undo reactivates only users whom its
 * job locked out.
 */
export const wouldReturn = (undoOf: string | null): Sql =>
  undoOf === null
    ? sql`p.offboarded_at is not null`
    : sql`(p.offboarded_at is not null and p.offboarding_job_id is not distinct from ${undoOf}::uuid)`;

/**
 * Plans the reactivation of `rows`. With `undoOf`, only users whom that job locked out are reactivated; a user who has
 * since been offboarded in another way stays offboarded.
 */
export const planReactivation = (
  rows: Sql,
  { realmId, undoOf }: { realmId: string; undoOf: string | null },
): Sql => sql`
  select position, user_id, given_user_id,
         case when user_id is null then 'failed'
              when ${wouldReturn(undoOf)} then 'changed'
              when offboarded_at is null then 'unchanged'
              else 'failed' end as verdict,
         case when user_id is null then error_code
              when offboarded_at is not null and not ${wouldReturn(undoOf)} then 'changed_since' end as error_code,
         message, null::integer as profiles
    from (${offboardPlan.resolved(rows, realmId)}) as p`;
