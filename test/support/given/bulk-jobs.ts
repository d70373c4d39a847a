import { randomBytes, randomUUID } from "node:crypto";
import { expect } from "vitest";
import { only, type Database } from "../../../db/client.ts";
import { jobProgressChannel } from "../../../db/channels.ts";
import * as settlement from "../../../db/operations/settlement.ts";
import * as work from "../../../db/queries/issuance/issuance-work.ts";
import type { RowRange } from "../../../db/queries/bulk-job/progress.ts";
import { sql } from "../../../db/sql.ts";
import { bareColumn } from "../../../domain/bulk-job/input/columns.ts";
import type { JobKind, JobState, RowStatus } from "../../../domain/bulk-job/job.ts";
import { BulkJobID } from "../../../domain/ids.ts";
import { advanceBulkJob } from "../../../domain/tasks/advance-bulk-job.ts";
import { revocationReasons, type RevocationReason } from "../../../domain/certificate/revocation.ts";
import { scopesAllowedTo } from "../../../domain/people/scopes.ts";
import { systemClock, type Clock } from "../../../runtime/clock.ts";
import type { Queues } from "../../../runtime/queue/queues.ts";
import type { IssuanceOutcome } from "../../../worker/issuance/issue.ts";
import { advance } from "../../../worker/bulk-job/advance.ts";
import type { BulkJobDeps } from "../../../worker/bulk-job/deps.ts";
import { workRows } from "../../../worker/bulk-job/run/work-rows.ts";
import { eventually } from "../run/eventually.ts";
import { silentLog } from "../service/worker.ts";

/** The person or profile that a row names; `invalid`: a row that cannot be used. */
export interface GivenRow {
  userId?: string;
  pairwiseId?: string;
  email?: string;
  maxProfiles?: number;
  profileName?: string;
  deviceType?: string;
  format?: string;
  serialNumber?: string;
  invalid?: string;
}

export interface GivenJob {
  realmId: string;
  kind: JobKind;
  rows: readonly GivenRow[];
  state?: JobState | "receiving";
  dryRun?: boolean;
  executeAt?: Date;
  confirmTotal?: number;
  createdAt?: Date;
  /** The person who created the job; by default a client of the realm, {@link bulkClientOf}. */
  createdByUserId?: string;
  graceDays?: number;
  /** The reason for the revocations of the job; default: unspecified. */
  reason?: RevocationReason;
  /** The offboarding that this reactivation undoes. */
  undoOf?: string;
}

/** The client in whose name {@link givenJob} creates jobs of a realm. */
export const bulkClientOf = (realmId: string): string => `bulk-client-${realmId}`;

/** Creates a job as the API leaves it to the workers, with its rows in the given order. */
export async function givenJob(
  owner: Database,
  {
    realmId,
    kind,
    rows,
    state = "checking",
    dryRun = false,
    executeAt,
    confirmTotal,
    createdAt = systemClock.now(),
    createdByUserId,
    graceDays,
    reason = revocationReasons.unspecified,
    undoOf,
  }: GivenJob,
): Promise<BulkJobID> {
  const id = BulkJobID.parse(randomUUID());
  await owner.transaction(async (tx) => {
    await tx.query(sql`
      insert into applications (client_id, realm_id, type, name, client_uri, scopes, use_client_secret, created_at, created_by)
      values (${bulkClientOf(realmId)}, ${realmId}, 'service', 'bulk', 'https://client.example',
              ${scopesAllowedTo("service")}, true, ${createdAt}, 'test')
      on conflict do nothing
    `);
    await tx.query(sql`
      insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, created_by_user_id, created_by_client_id,
                        execute_at, confirm_total, grace_days, revocation_reason, undo_of, total, progress_at)
      values (${id}, ${realmId}, ${kind}, ${state}, ${dryRun}, array[${bareColumn[kind]}::text], ${createdAt}, ${createdByUserId ?? null},
              ${createdByUserId === undefined ? bulkClientOf(realmId) : null}, ${executeAt ?? null},
              ${confirmTotal ?? null}, ${graceDays ?? null}, ${kind === "revocation" ? reason : null},
              ${undoOf ?? null}, ${rows.length}, ${createdAt})
    `);
    await tx.query(sql`
      insert into job_rows (job_id, position, input, pairwise_id, user_id, email, max_profiles, profile_name, device_type,
                            format, serial_number, status, expected, error_code, message)
      select ${id}, ordinality, array[coalesce(r."pairwiseId", r."serialNumber", '')], r."pairwiseId", r."userId"::bigint, r.email,
             r."maxProfiles", r."profileName", r."deviceType", r.format, r."serialNumber",
             case when r.invalid is null then 'pending' else 'failed' end,
             case when r.invalid is not null then 'failed' end,
             case when r.invalid is not null then 'invalid_row' end, r.invalid
        from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
               as ("userId" text, "pairwiseId" text, email text, "maxProfiles" integer, "profileName" text,
                   "deviceType" text, format text, "serialNumber" text, invalid text)) with ordinality as r
    `);
  });
  return id;
}

/** Notifies the workers, as the API does after its commit. */
export const notifyWorkers = (
  queues: Queues,
  jobId: BulkJobID,
  cause: "received" | "started" | "cancelled" = "received",
): Promise<void> => queues.enqueue(advanceBulkJob, { version: 1, jobId, cause });

export interface SeenJob {
  state: JobState;
  total: number;
  done: number;
  changed: number;
  unchanged: number;
  failed: number;
  skipped: number;
  expectedChange: number | null;
  errorCode: string | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  markedAt: Date | null;
  revokeAt: Date | null;
  outputErasedAt: Date | null;
  revision: string;
}

export const jobOf = async (owner: Database, jobId: string): Promise<SeenJob> =>
  only(
    await owner.query<SeenJob>(sql`
      select state, total, changed, unchanged, failed, skipped, changed + unchanged + failed + skipped as done,
             expected_change as "expectedChange", error_code as "errorCode", started_at as "startedAt",
             finished_at as "finishedAt", marked_at as "markedAt", revoke_at as "revokeAt", output_erased_at as "outputErasedAt", revision
        from jobs
       where id = ${jobId}
    `),
  );

export interface SeenRow {
  position: number;
  status: RowStatus;
  expected: string | null;
  errorCode: string | null;
  message: string | null;
  userId: string | null;
  issuanceId: string | null;
}

export const rowsOf = (owner: Database, jobId: string): Promise<SeenRow[]> =>
  owner.query<SeenRow>(sql`
    select position, status, expected, error_code as "errorCode", message, user_id as "userId",
           issuance_id as "issuanceId"
      from job_rows
     where job_id = ${jobId}
     order by position
  `);

/** Waits until a job is in one of these states. */
export const eventuallyIn = (
  owner: Database,
  jobId: string,
  states: readonly JobState[],
  withinMs = 60_000,
): Promise<SeenJob> =>
  eventually(
    async () => {
      const job = await jobOf(owner, jobId);
      expect(states, `${job.state}, ${job.done} of ${job.total}`).toContain(job.state);
      return job;
    },
    { withinMs },
  );

/** Expects the counts of a job to match its rows. */
export async function expectCountsToAddUp(owner: Database, jobId: string): Promise<void> {
  const { changed, unchanged, failed, skipped } = await jobOf(owner, jobId);
  const rows = await rowsOf(owner, jobId);
  const count = (status: RowStatus): number => rows.filter((row) => row.status === status).length;
  expect({ changed, unchanged, failed, skipped }).toEqual({
    changed: count("changed"),
    unchanged: count("unchanged"),
    failed: count("failed"),
    skipped: count("skipped"),
  });
}

/** Returns the audit entries that name the job, oldest first. */
export const auditOf = (
  owner: Database,
  jobId: string,
): Promise<{ event: string; clientId: string | null; properties: Record<string, unknown> }[]> =>
  owner.query(sql`
    select event, client_id as "clientId", properties
      from audit_entries
     where properties ->> 'job' = ${jobId}
     order by id
  `);

/** Runs jobs in this process without a queue and without signing. The test calls each of a worker's steps. */
export function driveJobs(db: () => Database, { clock = systemClock }: { clock?: Clock } = {}) {
  const waiting: RowRange[] = [];
  const deps = (): BulkJobDeps => ({
    db: db(),
    failures: new Map(),
    onEnd: () => undefined,
    clock,
    log: silentLog,
    issueAll: (ids) => settleUnsigned(db(), ids, clock.now()),
    queues: {
      enqueueAll(_, payloads) {
        for (const payload of payloads as unknown as RowRange[]) {
          if (!waiting.some(({ jobId, from }) => jobId === payload.jobId && from === payload.from))
            waiting.push(payload);
        }
        return Promise.resolve();
      },
    },
  });
  const driver = {
    deps,
    /** The chunks in the queue. */
    waiting,
    advance: (jobId: string): Promise<void> => advance(deps(), jobId),
    work: (chunk: RowRange): Promise<void> => workRows(deps(), chunk),
    /** Runs everything that is due. */
    async run(jobId: string): Promise<void> {
      await driver.advance(jobId);
      for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) await driver.work(chunk);
    },
  };
  return driver;
}

/** Settles issuances as a worker does, with random bytes in place of certificates. */
async function settleUnsigned(
  db: Database,
  ids: readonly string[],
  at: Date,
): Promise<ReadonlyMap<string, IssuanceOutcome>> {
  const claimId = randomUUID();
  const draws = ids.map((id) => ({
    id,
    serialNumber: BigInt(`0x${randomBytes(15).toString("hex")}1`).toString(),
    label: randomBytes(8).toString("hex"),
  }));
  const issuers = await db.query<{ id: string }>(sql`select id from issuers`);
  const claimed = await work.claim(db, { draws, issuerIds: issuers.map(({ id }) => id), claimId, at });
  const dataKeyId = randomUUID();
  const signed = claimed.map(({ id }) => ({
    id,
    certificate: randomBytes(40),
    spkiSha256: randomBytes(32),
    sealed: randomBytes(40),
    dataKeyId,
  }));
  const dataKeys = [{ id: dataKeyId, wrapped: randomBytes(40) }];
  const settled = new Set(await settlement.settle(db, { signed, dataKeys, claimId, at }));
  return new Map(ids.map((id) => [id, settled.has(id) ? "issued" : "not claimed"]));
}

/**
 * Puts a job into a state as workers would have left it. In a final state, every pending row has been changed. Before
 * the run, the counts are those of the check, which expects a change for every row that has not failed.
 */
export async function leaveIn(
  owner: Database,
  jobId: string,
  state: JobState,
  { errorCode = null }: { errorCode?: string | null } = {},
): Promise<void> {
  const final = ["cancelled", "completed", "completed_with_errors", "failed"].includes(state);
  const begun = final || state === "running" || state === "cancelling";
  await owner.transaction(async (tx) => {
    await tx.query(sql`
      update job_rows
         set status = case when ${final} and status in ('pending', 'working') then 'changed' else status end,
             expected = coalesce(expected, 'changed')
       where job_id = ${jobId}
    `);
    await tx.query(sql`
      update jobs j
         set state = ${state}, error_code = ${errorCode}, revision = j.revision + 1, progress_at = now(),
             started_at = case when ${begun} then coalesce(j.started_at, now()) end,
             finished_at = case when ${final} then now() end,
             revoke_at = case when ${state === "grace"} then now() + interval '7 days' else j.revoke_at end,
             expected_change = c.expected,
             changed = case when ${begun} or ${state === "checking"} then c.changed else c.expected end,
             unchanged = c.unchanged, failed = c.failed, skipped = c.skipped
        from (select count(*) filter (where status = 'changed')::integer as changed,
                     count(*) filter (where status = 'unchanged')::integer as unchanged,
                     count(*) filter (where status = 'failed')::integer as failed,
                     count(*) filter (where status = 'skipped')::integer as skipped,
                     count(*) filter (where expected = 'changed' and status not in ('failed', 'skipped'))::integer as expected
                from job_rows
               where job_id = ${jobId}) c
       where j.id = ${jobId}
    `);
    await tx.query(sql`select pg_notify(${jobProgressChannel}, ${jobId}::text)`);
  });
}
