import { first, only, type Db } from "../../../client.ts";
import { sql, type Sql } from "../../../sql.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import type { Findings } from "../../../../domain/bulk-job/plan/findings.ts";
import * as addresses from "./by-email.ts";
import * as ids from "./by-id.ts";
import * as progress from "../progress.ts";
import type { Progress, RowRange } from "../progress.ts";
import * as offboardPlan from "./offboarding.ts";
import * as onboardPlan from "./onboarding.ts";
import * as reactivatePlan from "./reactivation.ts";
import * as revokePlan from "./revocation.ts";
import type { RealmTerms } from "./onboarding.ts";

/** The settings of the realm and job that rows are checked against. */
export interface CheckTerms extends RealmTerms {
  realmId: string;
  kind: JobKind;
  /** The offboarding that a reactivation undoes. */
  undoOf: string | null;
  at: Date;
}

const planOf = {
  onboarding: onboardPlan.planOnboarding,
  offboarding: offboardPlan.planOffboarding,
  reactivation: reactivatePlan.planReactivation,
  revocation: revokePlan.planRevocation,
} as const satisfies Record<JobKind, (rows: Sql, terms: CheckTerms) => Sql>;

/**
 * Returns how the subject of a row `r` is found: the joins, a text that is equal for rows about the same subject, and
 * the word for the subject.
 */
function subjectOf(kind: JobKind, realmId: string): { known: Sql; subject: Sql; same: string } {
  switch (kind) {
    case "onboarding":
    case "offboarding":
    case "reactivation":
      return {
        known: sql`left join ${ids.byId(realmId, sql`r.pairwise_id`)} on r.user_id is null
                   left join ${addresses.byEmail(realmId)} on ${kind === "onboarding" ? sql`r.pairwise_id is null` : sql`i.user_id is null`}`,
        subject: sql`coalesce('u' || coalesce(r.user_id, i.user_id, e.user_id), 'p' || folded_id(r.pairwise_id), 'e' || lower(r.email))`,
        same: "person",
      };
    case "revocation":
      return { known: sql``, subject: sql`r.serial_number`, same: "profile" };
  }
}

/**
 * Fails every row about the same person or profile as an earlier row. Runs over the whole job: a slice does not show
 * duplicates.
 */
export async function failDuplicates(
  db: Db,
  { jobId, realmId, kind }: { jobId: string; realmId: string; kind: JobKind },
): Promise<void> {
  const { known, subject, same } = subjectOf(kind, realmId);
  // Rows are joined by ctid: the planner has no statistics for a job that has just been received.
  await db.query(sql`
    with subjects as (
      select r.ctid as place, r.position, min(r.position) over (partition by ${subject} collate "C") as first
        from job_rows r
        ${known}
       where r.job_id = ${jobId}
         and r.status = 'pending'
    ), again as materialized (
      select place, first from subjects where position > first
    )
    update job_rows r
       set status = 'failed', expected = 'failed', error_code = 'duplicate_row',
           message = ${progress.duplicateOf(same, sql`again.first`)}
      from again
     where r.ctid = again.place
  `);
}

/**
 * Records the expected result of the rows of a range: of unchecked rows or, with `again`, of all pending rows. With
 * `counted`, adds the results to the job's counts while the job is being checked.
 */
export async function checkRows(
  db: Db,
  { terms, again, counted, ...range }: RowRange & { terms: CheckTerms; again: boolean; counted: boolean },
): Promise<Progress | undefined> {
  const itself = sql`(select r.*)`;
  const verdict = planOf[terms.kind](itself, terms);
  return first(
    await db.query<Progress>(sql`
      with touched as (
        update job_rows r
           set (expected, error_code, message, user_id, affected_profiles) = (
                 select v.verdict, v.error_code, coalesce(v.message, ${progress.messageOf(sql`v.error_code`)}),
                        coalesce(v.user_id, v.given_user_id),
                        ${terms.kind === "onboarding" ? sql`null::integer` : sql`v.profiles`}
                   from (${verdict}) as v)
         where ${progress.inRange(range)}
           and r.status = 'pending'
           and ${untouched(again)}
        returning ${counted ? sql`r.expected` : sql`r.status`} as status
      ), ${progress.addToCounts(range.jobId, terms.at, counted ? sql`j.state = 'checking'` : sql`true`)}
    `),
  );
}

const untouched = (again: boolean): Sql => (again ? sql`true` : sql`r.expected is null`);

/** Gives up checking one row: the row is expected to fail, although it may still succeed when the job runs. */
export async function expectFailure(
  db: Db,
  { jobId, position, at }: { jobId: string; position: number; at: Date },
): Promise<Progress | undefined> {
  return first(
    await db.query<Progress>(sql`
      with touched as (
        update job_rows
           set expected = 'failed', error_code = 'internal_error', message = ${progress.messageOf(sql`'internal_error'`)}
         where job_id = ${jobId}
           and position = ${position}
           and status = 'pending'
        returning status
      ), ${progress.addToCounts(jobId, at)}
    `),
  );
}

/** Counts the results of the check over all rows of a job. */
export const findings = async (db: Db, jobId: string): Promise<Findings> =>
  only(await db.query<Findings>(findingsOf(sql`${jobId}::uuid`)));

export const findingsOf = (jobId: Sql): Sql => sql`
  select count(*) filter (where status = 'pending' and expected = 'changed')::integer as changed,
         count(*) filter (where status = 'unchanged' or (status = 'pending' and expected = 'unchanged'))::integer as unchanged,
         count(*) filter (where status = 'failed' or (status = 'pending' and expected = 'failed'))::integer as failed,
         count(*) filter (where status = 'skipped')::integer as skipped,
         sum(affected_profiles) filter (where status = 'pending' and expected = 'changed')::integer as profiles
    from job_rows
   where job_id = ${jobId}`;

/** Sets the counts of a waiting job to the results of its check. Call with the job's row locked. */
export async function recountExpected(
  tx: Db,
  { realmId, jobId, at }: { realmId: string; jobId: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    update jobs j
       set changed = f.changed, unchanged = f.unchanged, failed = f.failed, skipped = f.skipped,
           expected_change = f.changed, affected_profiles = f.profiles, revision = j.revision + 1, progress_at = ${at}
      from (${findingsOf(sql`${jobId}::uuid`)}) as f
     where j.realm_id = ${realmId}
       and j.id = ${jobId}
  `);
}

/**
 * Ends the rows of a range as unchanged or failed, as the check expected, because the job has nothing to change and
 * will not run. The job's counts already include these rows.
 */
export async function concludeUnchanged(db: Db, range: RowRange): Promise<void> {
  await db.query(sql`
    update job_rows r
       set status = r.expected
     where ${progress.inRange(range)}
       and r.status = 'pending'
       and r.expected in ('unchanged', 'failed')
  `);
}
