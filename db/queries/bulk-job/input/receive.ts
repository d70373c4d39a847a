import type { Actor } from "../../../../domain/audit/audit.ts";
import type { ReceivedRow } from "../../../../domain/bulk-job/input/row.ts";
import type { JobKind, JobMatching, JobOrigin } from "../../../../domain/bulk-job/job.ts";
import type { RevocationReason } from "../../../../domain/certificate/revocation.ts";
import { only, type Db } from "../../../client.ts";
import { sql } from "../../../sql.ts";
import type { InRealm } from "../jobs.ts";

export interface NewJob extends InRealm {
  kind: JobKind;
  dryRun: boolean;
  columns: readonly string[];
  executeAt: Date | null;
  confirmTotal: number | null;
  /** Default: an upload. */
  origin?: JobOrigin;
  matching?: JobMatching;
  /** Only for a revocation. */
  reason?: RevocationReason | null;
  graceDays?: number | null;
  undoOf?: string;
  /** Default: none. */
  name?: string | null;
  /** Default: 0. */
  rowOffset?: number;
  actor: Actor;
  at: Date;
  /** The request that creates the job, for the log. */
  requestId: string;
}

/** Creates a job that has no rows yet. Clients do not see it until {@link begin}. */
export async function create(tx: Db, job: NewJob): Promise<void> {
  await tx.query(sql`
    insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, created_by_user_id, created_by_client_id,
                      execute_at, confirm_total, name, row_offset, origin, matching, revocation_reason, grace_days,
                      undo_of, progress_at, request_id)
    values (${job.jobId}, ${job.realmId}, ${job.kind}, 'receiving', ${job.dryRun}, ${job.columns}, ${job.at},
            ${job.actor.userId}, ${job.actor.clientId}, ${job.executeAt}, ${job.confirmTotal}, ${job.name ?? null},
            ${job.rowOffset ?? 0}, ${job.origin ?? "upload"}, ${job.matching === undefined ? null : JSON.stringify(job.matching)},
            ${job.reason ?? null}, ${job.graceDays ?? null}, ${job.undoOf ?? null}, ${job.at}, ${job.requestId})
  `);
}

/** Records that the upload is still in progress. */
export async function touch(tx: Db, { realmId, jobId, at }: InRealm & { at: Date }): Promise<void> {
  await tx.query(sql`
    update jobs
       set progress_at = ${at}
     where realm_id = ${realmId}
       and id = ${jobId}
       and state = 'receiving'
  `);
}

/**
 * Completes the upload: from now on clients see the job, and workers advance it. Returns false if the upload has been
 * discarded in the meantime.
 */
export async function begin(
  tx: Db,
  { realmId, jobId, total, at }: InRealm & { total: number; at: Date },
): Promise<boolean> {
  const begun = await tx.query(sql`
    update jobs
       set state = 'checking', total = ${total}, created_at = ${at}, progress_at = ${at}, revision = revision + 1
     where realm_id = ${realmId}
       and id = ${jobId}
       and state = 'receiving'
    returning 1 as one
  `);
  return begun.length > 0;
}

/** Deletes a job that has not begun, with its rows. */
export async function discard(db: Db, { realmId, jobId }: InRealm): Promise<void> {
  await db.query(sql`delete from jobs where realm_id = ${realmId} and id = ${jobId} and state = 'receiving'`);
}

/**
 * Returns how many rows of the realm's jobs are not done: every row of a job that has not started, because its counts
 * are the findings of its check. Rows waiting out a grace period do not count. Other jobs of the realm cannot begin
 * until this transaction ends, so two jobs that together exceed a limit cannot both begin.
 */
export async function lockWaitingRows(tx: Db, realmId: string): Promise<number> {
  // Both statements are sent together; Postgres runs them in this order, the second with a new snapshot.
  const [, counts] = await Promise.all([
    tx.query(sql`select pg_advisory_xact_lock(hashtextextended('job rows', ${realmId}::bigint)) is null as locked`),
    tx.query<{ waiting: number }>(sql`
      select coalesce(sum(case when started_at is null then total
                               else total - changed - unchanged - failed - skipped end), 0)::integer as waiting
        from jobs
       where realm_id = ${realmId}
         and finished_at is null
         and state not in ('receiving', 'grace')
    `),
  ]);
  return only(counts).waiting;
}

/** Adds rows to a job that is being received; unusable rows are added as failed. */
export async function addRows(tx: Db, { jobId, rows }: { jobId: string; rows: readonly ReceivedRow[] }): Promise<void> {
  await tx.query(sql`
    insert into job_rows (job_id, position, input, pairwise_id, user_id, email, max_profiles, profile_name, device_type,
                          format, serial_number, status, expected, error_code, message)
    select ${jobId}, r.position, r.input, r."pairwiseID", r."userID", r.email, r."maxProfiles", r."profileName",
           r."deviceType", r.format, r.serial,
           case when r.message is null then 'pending' else 'failed' end,
           case when r.message is not null then 'failed' end,
           case when r.message is not null then 'invalid_row' end, r.message
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as r(position integer, input text[], "pairwiseID" text, "userID" bigint, email text, "maxProfiles" integer,
             "profileName" text, "deviceType" text, format text, serial text, message text)
  `);
}
