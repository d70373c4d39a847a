import type { Actor } from "../../../domain/audit.ts";
import {
  jobKinds,
  profileScope,
  scopesOfJob,
  stalledSeconds,
  undoableStates,
  type JobKind,
  type JobMatching,
  type JobOrigin,
  type JobState,
} from "../../../domain/bulk-job/job.ts";
import { rolesWith } from "../../../domain/roles.ts";
import type { RevocationReason } from "../../../domain/revocation.ts";
import { finishedJobDays } from "../../../domain/lifetimes.ts";
import { runningJobsMax } from "../../../domain/limits.ts";
import { jobProgressChannel } from "../../channels.ts";
import { first, only, type Db } from "../../client.ts";
import { pageOf } from "../../list.ts";
import { all, when, type Page, type PageRequest } from "../../page.ts";
import { rolesOf } from "../../rules.ts";
import { join, sql, type Sql } from "../../sql.ts";
import * as jobRows from "./rows.ts";

export interface Job {
  id: string;
  realmId: string;
  kind: JobKind;
  state: JobState;
  dryRun: boolean;
  /** The columns of the input under its own names. */
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
  /** How many people, or profiles, the check found that would change; null: not checked yet. */
  expectedChange: number | null;
  errorCode: string | null;
  /** Counts every change that a watcher sees. */
  revision: number;
  rateFromAt: Date | null;
  rateFromDone: number;
  outputErasedAt: Date | null;
  /** Nothing has moved for a minute although it should. */
  stalled: boolean;
  origin: JobOrigin;
  /** What found its rows, where a search and filter did. */
  matching: JobMatching | null;
  /** Revocation: why. */
  reason: RevocationReason | null;
  /** Offboarding: devices go off so many days after everybody was locked out; null: at once. */
  graceDays: number | null;
  /** When they do, once everybody is locked out. */
  revokeAt: Date | null;
  /** The offboarding that this reactivation takes back. */
  undoOf: string | null;
  /** The newest job that takes this one back and has begun to. */
  undoneBy: string | null;
  /** Until when this offboarding can be taken back; null: it has changed nobody, or is not at a point where it can be. */
  undoUntil: Date | null;
  name: string | null;
  /** How many rows of the file come before the first. */
  rowOffset: number;
  /** How many profiles the check found that would be revoked; null: not checked yet, or another kind. */
  affectedProfiles: number | null;
  /** Files and keys of its profiles can still be read. */
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
       then coalesce(j.finished_at, j.revoke_at) + make_interval(days => ${finishedJobDays}) end as "undoUntil",
  j.name, j.row_offset as "rowOffset",
  j.affected_profiles as "affectedProfiles",
  exists (select from issuance_outputs o where o.job_id = j.id and o.sealed is not null) as "hasOutput"`;

interface InRealm {
  realmId: string;
  jobId: string;
}

/** A job of the realm. One whose upload is still under way is not there yet. */
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

/** Jobs of any realm, for clients that were already authorized to watch them. */
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
  /** Users by their ids, clients that acted on their own by theirs. */
  createdBy: string[];
  minCreated: Date;
  maxCreated: Date;
}

/** The jobs of a realm. */
export const list = (
  db: Db,
  { realmId, at, page }: { realmId: string; at: Date; page: PageRequest<JobFilter, JobSortKey> },
): Promise<Page<Job>> =>
  pageOf<Job, JobSortKey>(db, {
    page,
    key: ["jobs", realmId],
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
    ]),
    id: sql`j.id`,
    newestFirst: sql`j.created_at`,
    sortedBy: { createdAt: sql`j.created_at`, finishedAt: { nullable: sql`j.finished_at` } },
    items: { columns: columns(at), join: sql`join jobs j on j.id = page.id` },
  });

/** Offboardings in their days of grace that still keep somebody out, those first whose devices go off next. */
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
     order by j.revoke_at, j.id
     limit ${max}
  `);

export interface NewJob extends InRealm {
  kind: JobKind;
  dryRun: boolean;
  columns: readonly string[];
  executeAt: Date | null;
  confirmTotal: number | null;
  /** Default: an upload. */
  origin?: JobOrigin;
  matching?: JobMatching;
  /** Of a revocation, and of nothing else. */
  reason?: RevocationReason | null;
  graceDays?: number | null;
  undoOf?: string;
  /** Default: none. */
  name?: string | null;
  /** Default: 0. */
  rowOffset?: number;
  actor: Actor;
  at: Date;
  /** The request that creates it, for the log. */
  requestId: string;
}

/** A job whose rows are about to come. Nobody sees it until {@link begin}. */
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

/** The upload goes on. */
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
 * The job of one user who is locked out in this transaction and keeps their devices until `revokeAt`. It begins in its days
 * of grace: there is nothing to check.
 */
export async function createInGrace(
  tx: Db,
  job: InRealm & { userId: string; graceDays: number; revokeAt: Date; actor: Actor; at: Date; requestId: string },
): Promise<void> {
  await tx.query(sql`
    insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, created_by_user_id, created_by_client_id,
                      started_at, marked_at, total, expected_change, origin, grace_days, revoke_at, progress_at,
                      request_id)
    values (${job.jobId}, ${job.realmId}, 'offboarding', 'grace', false, '{userID}', ${job.at}, ${job.actor.userId},
            ${job.actor.clientId}, ${job.at}, ${job.at}, 1, 1, 'user', ${job.graceDays}, ${job.revokeAt}, ${job.at},
            ${job.requestId})
  `);
  await tx.query(sql`
    insert into job_rows (job_id, position, input, user_id, status, expected)
    values (${job.jobId}, 1, array[${job.userId}::text], ${job.userId}, 'working', 'changed')
  `);
}

/** All rows are there: from here on the job is seen, and is the workers'. False when it was given up meanwhile. */
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

/** Forgets a job that was not begun, and its rows. */
export async function discard(db: Db, { realmId, jobId }: InRealm): Promise<void> {
  await db.query(sql`delete from jobs where realm_id = ${realmId} and id = ${jobId} and state = 'receiving'`);
}

/**
 * How many rows of the realm's jobs are not done; those that only wait for their days of grace are no work that waits. Others who begin a job of this realm wait until this transaction ends,
 * so that two of them do not both fit under a limit.
 */
export async function lockWaitingRows(tx: Db, realmId: string): Promise<number> {
  // Both go out at once; Postgres takes them in this order, the second with a snapshot of its own.
  const [, counts] = await Promise.all([
    tx.query(sql`select pg_advisory_xact_lock(hashtextextended('job rows', ${realmId}::bigint)) is null as locked`),
    tx.query<{ waiting: number }>(sql`
      select coalesce(sum(total - changed - unchanged - failed - skipped), 0)::integer as waiting
        from jobs
       where realm_id = ${realmId}
         and finished_at is null
         and state not in ('receiving', 'grace')
    `),
  ]);
  return only(counts).waiting;
}

/** Locks a job's row: whatever would change its state waits. */
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

const neededScopes = sql`(
  case j.kind ${join(
    jobKinds.map((kind) => sql`when ${kind} then ${["job.create", ...scopesOfJob(kind, { profiles: false })]}::text[]`),
    sql` `,
  )} end || case when ${jobRows.asking(sql`j.id`)} then ${[profileScope]}::text[] else '{}' end)`;

/** The roles that let people do what the job `j` does. */
const neededRoles = sql`case j.kind ${join(
  jobKinds.map((kind) => {
    const needed = ["job.create", ...scopesOfJob(kind, { profiles: true })] as const;
    return sql`when ${kind} then ${rolesWith(needed)}::text[]`;
  }),
  sql` `,
)} end`;

/**
 * Whether the creator of the job `j` could still create it: a user with a role for it who is not offboarded, or a client
 * that is active and has the scopes of what the job does.
 */
export const hasCreator = sql`case
  when j.created_by_user_id is not null
  then exists (select from users u
                where u.id = j.created_by_user_id and u.realm_id = j.realm_id
                  and ${rolesOf(sql`u`)} && ${neededRoles} and u.offboarded_at is null)
  else exists (select from applications a
                where a.client_id = j.created_by_client_id and a.realm_id = j.realm_id
                  and a.active and a.scopes @> ${neededScopes}) end`;

/** Whether the creator of a job could still create it. */
export async function creatorMayRun(db: Db, jobId: string): Promise<boolean> {
  const rows = await db.query(sql`select j.id from jobs j where j.id = ${jobId} and ${hasCreator}`);
  return rows.length > 0;
}

/** Whether a job that takes this one back is under way; one that waits to be started does not hinder another. */
export async function hasRunningUndo(tx: Db, jobId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select id from jobs where undo_of = ${jobId} and finished_at is null and state <> 'ready' limit 1
  `);
  return rows.length > 0;
}

/** Makes a job somebody else's: it runs in their name, and what it issues is theirs. Call with its row locked. */
export async function takeOver(tx: Db, { realmId, jobId, actor }: InRealm & { actor: Actor }): Promise<void> {
  await tx.query(sql`
    update jobs
       set created_by_user_id = ${actor.userId}, created_by_client_id = ${actor.clientId}
     where realm_id = ${realmId}
       and id = ${jobId}
  `);
}

/** Erases what a job's profiles gave out, and returns of how many profiles that was. What became of its rows stays. */
export async function eraseOutput(tx: Db, { realmId, jobId, at }: InRealm & { at: Date }): Promise<number> {
  const { erased } = only(
    await tx.query<{ erased: number }>(sql`
      with erased as (
        update issuance_outputs set sealed = null where job_id = ${jobId} and sealed is not null returning issuance_id
      )
      select count(*)::integer as erased from erased
    `),
  );
  await tx.query(sql`
    update jobs
       set output_erased_at = coalesce(output_erased_at, ${at})
     where realm_id = ${realmId}
       and id = ${jobId}
  `);
  return erased;
}

/** Notifies those who watch a job, once this transaction is committed. */
export async function notify(tx: Db, jobId: string): Promise<void> {
  await tx.query(sql`select pg_notify(${jobProgressChannel}, ${jobId}::text)`);
}
