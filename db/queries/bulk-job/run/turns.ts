import { runningJobsMax } from "../../../../domain/limits.ts";
import type { Db } from "../../../client.ts";
import { sql } from "../../../sql.ts";
import * as dueJobs from "../due.ts";

/** Returns whether a queued job may run now. The result is certain only with {@link lockRunQueue}. */
export async function hasCapacity(db: Db, jobId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select j.id from jobs j where j.id = ${jobId} and j.state = 'queued' and ${dueJobs.jobsBefore()} < ${runningJobsMax}
  `);
  return rows.length > 0;
}

/** Prevents other jobs of the realm from starting until the transaction ends. */
export async function lockRunQueue(tx: Db, realmId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('job turns', ${realmId}::bigint))`);
}

/**
 * Makes the job's other slices wait until the transaction ends. Slices would wait for one another's counts anyway;
 * waiting before their work instead of after it leaves the processors to OCSP.
 */
export async function lockSlices(tx: Db, jobId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`slices of ${jobId}`}::text, 0))`);
}
