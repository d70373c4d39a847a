import type { JobState } from "../../../domain/bulk-job/job.ts";
import { statesBefore } from "../../../domain/bulk-job/states.ts";
import { jobProgressChannel } from "../../channels.ts";
import type { Db } from "../../client.ts";
import { join, sql, type Sql } from "../../sql.ts";

/**
 * A change of a bulk job's state. Each transition is one statement and notifies the job's watchers. Returns false, with
 * nothing changed, if the new state may not follow the current state, or if a further condition of the transition does
 * not hold.
 */
export interface Transition {
  realmId: string;
  jobId: string;
  at: Date;
}

/** Moves a job to a state. */
export async function enter(
  db: Db,
  { realmId, jobId, at }: Transition,
  {
    follows,
    changes,
    onlyIf = sql`true`,
  }: { follows: JobState; changes: readonly (Sql | undefined)[]; onlyIf?: Sql | undefined },
): Promise<boolean> {
  const given = changes.filter((change) => change !== undefined);
  const rows = await db.query(sql`
    with entered as (
      update jobs
         set ${join(given, sql`, `)}, revision = revision + 1, progress_at = ${at}
       where realm_id = ${realmId}
         and id = ${jobId}
         and state = any(${statesBefore(follows)}::text[])
         and ${onlyIf}
      returning id
    )
    select pg_notify(${jobProgressChannel}, id::text) from entered
  `);
  return rows.length > 0;
}
