import {
  stalledSeconds,
  undoableStates,
  type JobKind,
  type JobMatching,
  type JobOrigin,
  type JobState,
} from "../../../domain/bulk-job/job.ts";
import type { RevocationReason } from "../../../domain/certificate/revocation.ts";
import { first, type Db } from "../../client.ts";
import { finishedJobDays } from "../../../domain/lifetimes.ts";
import { runningJobsMax } from "../../../domain/limits.ts";
import { jobProgressChannel } from "../../channels.ts";
import { pageOf } from "../../list.ts";
import { all, when, type Page, type PageRequest } from "../../page.ts";
import { sql, type Sql } from "../../sql.ts";
import * as found from "../finding/found.ts";
import type { Searching } from "../finding/found.ts";

export interface Job {
  id: string;
  realmId: string;
  kind: JobKind;
  state: JobState;
  dryRun: boolean;
  /** The columns of the input, as the input names them. */
  columns: string[];
  createdAt: Date;
  createdByUserId: string | null;
  createdByClientId: string | null;
  executeAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  total: number;
  changed: number;
  unchanged: number;
  failed: number;
  skipped: number;
  /** How many people, or profiles, would change according to the check; null: not checked yet. */
  expectedChange: number | null;
  errorCode: string | null;
  /** Incremented by every change that a watcher sees. */
  revision: number;
  rateFromAt: Date | null;
  rateFromDone: number;
  outputErasedAt: Date | null;
  /** Whether the job has not changed for a minute although it should have. */
  stalled: boolean;
  origin: JobOrigin;
  /** The search and filter that selected the job's rows, if any. */
  matching: JobMatching | null;
  /** The reason of a revocation; null for another kind of job. */
  reason: RevocationReason | null;
  /**
   * Offboarding: days between lock-out and revocation; null: profiles are revoked immediately or, by a held job, once a
   * person confirms it.
   */
  graceDays: number | null;
  /**
   * When profiles will be revoked after a grace period. Null: not all people are locked out yet, no profile waits, or a
   * held job is not confirmed yet.
   */
  revokeAt: Date | null;
  /** The offboarding that this reactivation undoes. */
  undoOf: string | null;
  /** The newest job that undoes this one and has started. */
  undoneBy: string | null;
  /** Until when this offboarding can be undone; null: it cannot be undone, or no longer. */
  undoUntil: Date | null;
  name: string | null;
  /** How many rows of the file precede the job's first row. */
  rowOffset: number;
  /**
   * How many profiles would be revoked according to the check; null: not checked yet, no row changes anything, or the
   * job's kind revokes no profiles.
   */
  affectedProfiles: number | null;
  /** Whether files and keys of its profiles can still be read. */
  hasOutput: boolean;
}

const stalled = (at: Date): Sql => sql`(
  j.progress_at < ${at}::timestamptz - make_interval(secs => ${stalledSeconds})
  and (j.state in ('checking', 'running', 'cancelling')
       or j.state = 'queued' and (select count(*)
                                    from jobs r
                                   where r.realm_id = j.realm_id
                                     and r.finished_at is null
                                     and r.state in ('running', 'cancelling')) < ${runningJobsMax})
)`;

/**
 * Returns when the period for undoing an offboarding job begins: when the job ended, or when its grace period ends. A
 * held job has no such time, so its period begins now.
 */
const undoFrom = (at: Date): Sql => sql`coalesce(j.finished_at, j.revoke_at, ${at}::timestamptz)`;

const columns = (at: Date): Sql => sql`
  j.id, j.realm_id as "realmId", j.kind, j.state, j.dry_run as "dryRun", j.columns, j.created_at as "createdAt",
  j.created_by_user_id as "createdByUserId", j.created_by_client_id as "createdByClientId",
  j.execute_at as "executeAt", j.started_at as "startedAt", j.finished_at as "finishedAt", j.total, j.changed,
  j.unchanged, j.failed, j.skipped, j.expected_change as "expectedChange", j.error_code as "errorCode",
  j.revision::float8 as revision, j.rate_from_at as "rateFromAt", j.rate_from_done as "rateFromDone",
  j.output_erased_at as "outputErasedAt", ${stalled(at)} as stalled, j.origin, j.matching,
  j.revocation_reason as reason, j.grace_days as "graceDays",
  j.revoke_at as "revokeAt", j.undo_of as "undoOf",
  (select u.id
     from jobs u
    where u.undo_of = j.id
      and u.started_at is not null
    order by u.created_at desc
    limit 1) as "undoneBy",
  case when j.kind = 'offboarding' and j.state = any(${undoableStates}::text[]) and j.started_at is not null
            and (j.state = 'grace' or j.changed + j.failed > 0)
            and ${undoFrom(at)} + make_interval(days => ${finishedJobDays}) > ${at}
       then ${undoFrom(at)} + make_interval(days => ${finishedJobDays}) end as "undoUntil",
  j.name, j.row_offset as "rowOffset",
  j.affected_profiles as "affectedProfiles",
  exists (select from issuance_outputs o where o.job_id = j.id and o.sealed is not null) as "hasOutput"`;

export interface InRealm {
  realmId: string;
  jobId: string;
}

/** Returns a job of the realm; undefined if there is no such job, or while its upload is in progress. */
export async function find(db: Db, { realmId, jobId, at }: InRealm & { at: Date }): Promise<Job | undefined> {
  return first(
    await db.query<Job>(sql`
      select ${columns(at)}
        from jobs j
       where j.realm_id = ${realmId}
         and j.id = ${jobId}
         and j.state <> 'receiving'
    `),
  );
}

/** Returns jobs of any realm, for clients that were already authorized to watch them. */
export const listByIds = (db: Db, { ids, at }: { ids: readonly string[]; at: Date }): Promise<Job[]> =>
  db.query<Job>(sql`
    select ${columns(at)}
      from jobs j
     where j.id = any(${ids}::uuid[])
       and j.state <> 'receiving'
  `);

export const jobSortKeys = ["createdAt", "finishedAt"] as const;

export type JobSortKey = (typeof jobSortKeys)[number];

export interface JobFilter {
  kind: JobKind;
  state: JobState[];
  dryRun: boolean;
  /** Ids of users, and of clients that acted without a user. */
  createdBy: string[];
  minCreated: Date;
  maxCreated: Date;
  /** The earliest start; leaves out jobs that have not begun. */
  minStarted: Date;
  /** The text to find, as {@link found.isFoundJob} defines. */
  text: string;
}

/** Lists the jobs of a realm. */
export const list = (
  db: Db,
  { page, ...searching }: Searching & { page: PageRequest<JobFilter, JobSortKey> },
): Promise<Page<Job>> => {
  const { realmId, at, finds } = searching;
  return pageOf<Job, JobSortKey>(db, {
    page,
    key: ["jobs", realmId, ...(finds ?? [])],
    from: sql`jobs j`,
    matching: all([
      sql`j.realm_id = ${realmId}`,
      sql`j.state <> 'receiving'`,
      when(page.filter.kind, (kind) => sql`j.kind = ${kind}`),
      when(page.filter.state, (states) => sql`j.state = any(${states}::text[])`),
      when(page.filter.dryRun, (is) => sql`j.dry_run = ${is}`),
      when(
        page.filter.createdBy,
        (creators) => sql`coalesce(j.created_by_user_id::text, j.created_by_client_id) = any(${creators}::text[])`,
      ),
      when(page.filter.minCreated, (bound) => sql`j.created_at >= ${bound}`),
      when(page.filter.maxCreated, (bound) => sql`j.created_at <= ${bound}`),
      when(page.filter.minStarted, (bound) => sql`j.started_at >= ${bound}`),
      when(page.filter.text, (text) => found.isFoundJob({ ...searching, text })),
    ]),
    id: sql`j.id`,
    newestFirst: sql`j.created_at`,
    sortedBy: { createdAt: sql`j.created_at`, finishedAt: { nullable: sql`j.finished_at` } },
    items: { columns: columns(at), join: sql`join jobs j on j.id = page.id` },
  });
};

/**
 * Lists offboardings in their grace period that still lock a user out: first those that wait for a person, then the
 * remaining ones by the time of their revocation.
 */
export const listInGrace = (db: Db, { realmId, max, at }: { realmId: string; max: number; at: Date }): Promise<Job[]> =>
  db.query<Job>(sql`
    select ${columns(at)}
      from jobs j
     where j.realm_id = ${realmId}
       and j.finished_at is null
       and j.state = 'grace'
       and exists (select
                     from job_rows r
                     join users u on u.id = r.user_id and u.offboarding_job_id = r.job_id
                    where r.job_id = j.id
                      and r.status = 'working')
     order by j.revoke_at nulls first, j.id
     limit ${max}
  `);

/** Returns a job with its row locked: changes of its state wait for this transaction. */
export async function lock(tx: Db, { realmId, jobId, at }: InRealm & { at: Date }): Promise<Job | undefined> {
  return first(
    await tx.query<Job>(sql`
      select ${columns(at)}
        from jobs j
       where j.realm_id = ${realmId}
         and j.id = ${jobId}
         and j.state <> 'receiving'
         for no key update
    `),
  );
}

/** Notifies the watchers of a job once this transaction is committed. */
export async function notify(tx: Db, jobId: string): Promise<void> {
  await tx.query(sql`select pg_notify(${jobProgressChannel}, ${jobId}::text)`);
}
