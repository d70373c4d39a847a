import type { RowStatus } from "../../../domain/bulk-job/job.ts";
import { serialDigits } from "../../../domain/serial-digits.ts";
import { only, type Db } from "../../client.ts";
import { pageOf } from "../../list.ts";
import { all, containing, serialContains, when, type Page, type PageRequest } from "../../page.ts";
import { radiusServerName } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";

/** A row as it is received. */
export interface NewJobRow {
  position: number;
  /** The cells as they were given, in the order of the job's columns. */
  input: readonly (string | null)[];
  pairwiseId: string | null;
  userId: string | null;
  email: string | null;
  maxProfiles: number | null;
  profileName: string | null;
  deviceType: string | null;
  format: string | null;
  serialNumber: string | null;
  /** What is wrong with a row that cannot be used. */
  message: string | null;
}

/** Adds rows to a job that is being received; those that cannot be used have failed already. */
export async function add(tx: Db, { jobId, rows }: { jobId: string; rows: readonly NewJobRow[] }): Promise<void> {
  await tx.query(sql`
    insert into job_rows (job_id, position, input, pairwise_id, user_id, email, max_profiles, profile_name, device_type,
                          format, serial_number, status, expected, error_code, message)
    select ${jobId}, r.position, r.input, r."pairwiseId", r."userId", r.email, r."maxProfiles", r."profileName",
           r."deviceType", r.format, r."serialNumber",
           case when r.message is null then 'pending' else 'failed' end,
           case when r.message is not null then 'failed' end,
           case when r.message is not null then 'invalid_row' end, r.message
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as r(position integer, input text[], "pairwiseId" text, "userId" bigint, email text, "maxProfiles" integer,
             "profileName" text, "deviceType" text, format text, "serialNumber" text, message text)
  `);
}

/** A row and what became of it. */
export interface JobRow {
  position: number;
  input: (string | null)[];
  maxProfiles: number | null;
  /** Of the profile that a revocation is about. */
  serialNumber: string | null;
  /** Before the job runs: what the check expects. */
  status: RowStatus;
  errorCode: string | null;
  message: string | null;
  issuanceId: string | null;
}

/** What a row shows: its own status or, until the job runs, what the check expects of it. */
const shownStatus = sql`
  case when r.status = 'pending' and j.started_at is null and j.finished_at is null
       then coalesce(r.expected, r.status) else r.status end`;

export interface RowsPage {
  jobId: string;
  /** The last position that was read before. */
  after: number;
  limit: number;
  /** Only rows that show one of these; undefined: all. */
  statuses: readonly RowStatus[] | undefined;
}

/** Rows in the order of the input. */
export const listAfter = (db: Db, { jobId, after, limit, statuses }: RowsPage): Promise<JobRow[]> =>
  db.query<JobRow>(sql`
    select r.position, r.input, r.max_profiles as "maxProfiles", r.serial_number as "serialNumber",
           ${shownStatus} as status, r.error_code as "errorCode", r.message, r.issuance_id as "issuanceId"
      from job_rows r
      join jobs j on j.id = r.job_id
     where r.job_id = ${jobId}
       and r.position > ${after}::integer
       and (${statuses ?? null}::text[] is null or ${shownStatus} = any(${statuses ?? null}::text[]))
     order by r.position
     limit ${limit}
  `);

/** A row with whom it is about. */
export interface JobRowOfPerson extends JobRow {
  /** Null: nobody who is there, or not looked up yet. */
  userId: string | null;
  /** How many active profiles of the person an offboarding would revoke, by its check; of a revocation 1, or 0. */
  affectedProfiles: number | null;
}

export const jobRowSortKeys = ["row"] as const;
export type JobRowSortKey = (typeof jobRowSortKeys)[number];

export interface JobRowFilter {
  status: RowStatus[];
}

/** The rows of a job in the order of its file; searched in what was given and in what is known of the people. */
export const list = (
  db: Db,
  { jobId, realmId, page }: { jobId: string; realmId: string; page: PageRequest<JobRowFilter, JobRowSortKey> },
): Promise<Page<JobRowOfPerson>> =>
  pageOf<JobRowOfPerson, JobRowSortKey>(db, {
    page: { ...page, sort: page.sort.length === 0 ? [{ key: "row", direction: "asc" }] : page.sort },
    key: ["job rows", jobId],
    from: sql`job_rows r join jobs j on j.id = r.job_id`,
    matching: all([
      sql`r.job_id = ${jobId}`,
      sql`j.realm_id = ${realmId}`,
      when(page.filter.status, (statuses) => sql`${shownStatus} = any(${statuses}::text[])`),
      when(page.search, (search) => mentions(search, realmId)),
    ]),
    id: sql`r.position`,
    newestFirst: sql`r.position`,
    sortedBy: { row: sql`r.position` },
    items: {
      columns: sql`
        r.position, r.input, r.max_profiles as "maxProfiles", r.serial_number as "serialNumber",
        ${shownStatus} as status, r.error_code as "errorCode", r.message, r.issuance_id as "issuanceId",
        r.user_id as "userId", r.affected_profiles as "affectedProfiles"`,
      join: sql`join job_rows r on r.job_id = ${jobId} and r.position = page.id
                join jobs j on j.id = r.job_id`,
    },
  });

function mentions(search: string, realmId: string): Sql {
  const pattern = containing(search);
  const digits = serialDigits(search);
  return sql`(
    array_to_string(r.input, ' ') ilike ${pattern}
    ${digits === undefined ? sql`` : sql`or ${serialContains(sql`r.serial_number`, digits)}`}
    or exists (select from users u
                where u.id = r.user_id
                  and u.realm_id = ${realmId}
                  and (u.pairwise_id ilike ${pattern} or u.email ilike ${pattern} or u.display_name ilike ${pattern})
               offset 0))`;
}

/** Rows that failed, or would, for the same cause. */
export interface Problem {
  errorCode: string;
  /** What is wrong with rows that cannot be used; null where the code says it all. */
  message: string | null;
  count: number;
  /** The first of them. */
  positions: number[];
}

/** Why rows of a job failed, or would: the most frequent causes first. */
export const listProblems = (
  db: Db,
  { jobId, max, positionsMax }: { jobId: string; max: number; positionsMax: number },
): Promise<Problem[]> =>
  db.query<Problem>(sql`
    select "errorCode", message, count, positions[1:${positionsMax}::integer] as positions
      from (select r.error_code as "errorCode", case when r.error_code = 'invalid_row' then r.message end as message,
                   count(*)::integer as count, array_agg(r.position order by r.position) as positions
              from job_rows r
              join jobs j on j.id = r.job_id
             where r.job_id = ${jobId}
               and ${shownStatus} = 'failed'
               and r.error_code is not null
             group by 1, 2) as causes
     order by count desc, positions[1]
     limit ${max}
  `);

/** Which of these positions a job has no row at. */
export async function findMissing(
  db: Db,
  { jobId, positions }: { jobId: string; positions: readonly number[] },
): Promise<number[]> {
  const rows = await db.query<{ position: number }>(sql`
    select p.position
      from unnest(${positions}::integer[]) as p(position)
     where not exists (select from job_rows r where r.job_id = ${jobId} and r.position = p.position)
     order by p.position
  `);
  return rows.map(({ position }) => position);
}

/**
 * Takes rows out of a job that waits, and out of what its check found. Rows that have failed or were taken out before
 * stay as they are. Returns the numbers of those taken out. Call with the job's row locked.
 */
export async function takeOut(
  tx: Db,
  { realmId, jobId, positions, at }: { realmId: string; jobId: string; positions: readonly number[]; at: Date },
): Promise<number[]> {
  const rows = await tx.query<{ position: number }>(sql`
    with taken as (
      update job_rows
         set status = 'skipped', error_code = 'taken_out', message = null
       where job_id = ${jobId}
         and position = any(${positions}::integer[])
         and status = 'pending'
      returning position, expected, affected_profiles
    ), counted as (
      select count(*)::integer as rows,
             coalesce(sum(affected_profiles) filter (where expected = 'changed'), 0)::integer as profiles,
             count(*) filter (where expected = 'changed')::integer as changed,
             count(*) filter (where expected = 'unchanged')::integer as unchanged,
             count(*) filter (where expected = 'failed')::integer as failed
        from taken
    ), updated as (
      update jobs j
         set changed = j.changed - c.changed, unchanged = j.unchanged - c.unchanged, failed = j.failed - c.failed,
             skipped = j.skipped + c.rows, expected_change = j.expected_change - c.changed,
             affected_profiles = j.affected_profiles - c.profiles, revision = j.revision + 1, progress_at = ${at}
        from counted c
       where j.realm_id = ${realmId}
         and j.id = ${jobId}
         and c.rows > 0
    )
    select position from taken order by position
  `);
  return rows.map(({ position }) => position);
}

/**
 * Takes rows back in that were taken out of a job that waits, as rows that nobody has checked. Returns their
 * numbers. Call with the job's row locked, and check them.
 */
export async function takeIn(
  tx: Db,
  { jobId, positions }: { jobId: string; positions: readonly number[] },
): Promise<number[]> {
  const rows = await tx.query<{ position: number }>(sql`
    with taken as (
      update job_rows
         set status = 'pending', expected = null, error_code = null, message = null
       where job_id = ${jobId}
         and position = any(${positions}::integer[])
         and status = 'skipped'
         and error_code = 'taken_out'
      returning position
    )
    select position from taken order by position
  `);
  return rows.map(({ position }) => position);
}

/**
 * Copies the rows that a job failed to do into another, with their numbers. What failed for what is in the file itself has
 * failed there too; the others are tried again. Answers how many there are.
 */
export async function copyFailed(tx: Db, { from, to }: { from: string; to: string }): Promise<number> {
  const { copied } = only(
    await tx.query<{ copied: number }>(sql`
      with copied as (
        insert into job_rows (job_id, position, input, pairwise_id, user_id, email, max_profiles, profile_name,
                              device_type, format, serial_number, status, expected, error_code, message)
        select ${to}, r.position, r.input, r.pairwise_id,
               case when j.kind <> 'onboarding' then r.user_id end, r.email, r.max_profiles,
               r.profile_name, r.device_type, r.format, r.serial_number,
               case when f.final then 'failed' else 'pending' end,
               case when f.final then 'failed' end, case when f.final then r.error_code end,
               case when f.final then r.message end
          from job_rows r
          join jobs j on j.id = r.job_id
          cross join lateral (select r.error_code in ('invalid_row', 'duplicate_row', 'user_forgotten') as final) f
         where r.job_id = ${from}
           and (r.status = 'failed' or (r.status = 'skipped' and r.error_code = 'internal_error'))
        returning 1
      )
      select count(*)::integer as copied from copied
    `),
  );
  return copied;
}

/**
 * Whom an undo of the offboarding `jobId` is about: the rows `r` of those whom it has changed or has still locked out, each
 * with its user `u`.
 */
const undone = (jobId: string): Sql => sql`
  from job_rows r
  left join lateral (select id, offboarded_at, offboarding_job_id from users where id = r.user_id offset 0) u on true
 where r.job_id = ${jobId}
   and (r.status in ('changed', 'working') or ${isLockedOutBy(jobId)})`;

/** Whether the user `u` is offboarded, this job did it, and nobody has changed that since. */
const isLockedOutBy = (jobId: string): Sql => sql`
  (u.offboarded_at is not null and u.offboarding_job_id is not distinct from ${jobId}::uuid)`;

/** Copies the rows that an undo of the offboarding `from` is about into a job, with their numbers. Answers how many. */
export async function copyUndone(tx: Db, { from, to }: { from: string; to: string }): Promise<number> {
  const { copied } = only(
    await tx.query<{ copied: number }>(sql`
      with copied as (
        insert into job_rows (job_id, position, input, user_id)
        select ${to}, r.position, r.input, r.user_id ${undone(from)}
        returning 1
      )
      select count(*)::integer as copied from copied
    `),
  );
  return copied;
}

/** What an undo of an offboarding would do. */
export interface UndoPreview {
  /** People who could sign in again. */
  people: number;
  /** People whom this job has changed, and something else since: they stay as they are. */
  changedSince: number;
  /** Profiles of those people that are good, and stay so. */
  devicesKept: number;
  /** Profiles of theirs that were revoked since they were locked out, and stay so. */
  devicesRevoked: number;
}

export const previewUndo = async (db: Db, { jobId, at }: { jobId: string; at: Date }): Promise<UndoPreview> =>
  only(
    await db.query<UndoPreview>(sql`
      select count(*) filter (where locked_out)::integer as people,
             count(*) filter (where not locked_out)::integer as "changedSince",
             coalesce(sum(kept), 0)::integer as "devicesKept", coalesce(sum(revoked), 0)::integer as "devicesRevoked"
        from (select ${isLockedOutBy(jobId)} as locked_out, c.kept, c.revoked
                from (select u.id as u_id, u.offboarded_at, u.offboarding_job_id ${undone(jobId)}) u
                left join lateral (select count(*) filter (where c.revoked_at is null) as kept,
                                          count(*) filter (where c.revoked_at >= u.offboarded_at) as revoked
                                     from certificates c
                                    where c.user_id = u.u_id
                                      and c.not_after > ${at}
                                   offset 0) c on ${isLockedOutBy(jobId)}) counted
    `),
  );

/** Whether any row that is still to be done asks for a profile. */
export async function asksForProfiles(db: Db, jobId: string): Promise<boolean> {
  const { asks } = only(await db.query<{ asks: boolean }>(sql`select ${asking(sql`${jobId}::uuid`)} as asks`));
  return asks;
}

/** The condition for it, of the job with this id. */
export const asking = (jobId: Sql): Sql => sql`exists (
  select
    from job_rows
   where job_id = ${jobId}
     and profile_name is not null
     and (status in ('pending', 'failed') or error_code = 'internal_error'))`;

/** A profile that was issued for a row. */
export interface IssuedProfile {
  issuanceId: string;
  serial: string;
  identity: string;
  /** The name of the realm's RADIUS server. */
  radiusCn: string;
}

/** The profiles that came of issuances. */
export const listIssued = (db: Db, issuanceIds: readonly string[]): Promise<IssuedProfile[]> =>
  db.query<IssuedProfile>(sql`
    select c.issuance_id as "issuanceId", c.serial_number::text as serial, c.identity,
           ${radiusServerName(sql`r`)} as "radiusCn"
      from certificates c
      join realms r on r.id = c.realm_id
     where c.issuance_id = any(${issuanceIds}::uuid[])
  `);

/** Output that can still be opened. */
export interface SealedRowOutput {
  issuanceId: string;
  sealed: Buffer;
  dataKeyId: string;
  wrappedDataKey: Buffer;
}

/** The outputs of issuances that are not erased. Reading them here starts no clock: they are kept with their job. */
export const listSealedOutputs = (db: Db, issuanceIds: readonly string[]): Promise<SealedRowOutput[]> =>
  db.query<SealedRowOutput>(sql`
    select o.issuance_id as "issuanceId", o.sealed, o.data_key_id as "dataKeyId", k.wrapped as "wrappedDataKey"
      from issuance_outputs o
      join output_data_keys k on k.id = o.data_key_id
     where o.issuance_id = any(${issuanceIds}::uuid[])
       and o.sealed is not null
       and k.wrapped is not null
       and length(k.wrapped) > 0
  `);
