import type { RowStatus } from "../../../domain/bulk-job/job.ts";
import { serialDigits } from "../../../domain/serial-digits.ts";
import type { Db } from "../../client.ts";
import { pageOf } from "../../list.ts";
import { limitOf } from "../../rules.ts";
import { all, containsText, serialContains, when, type Page, type PageRequest } from "../../page.ts";
import { join, sql, type Sql } from "../../sql.ts";

/** A row and its result. */
export interface JobRow {
  position: number;
  input: (string | null)[];
  maxProfiles: number | null;
  /** The serial number of the profile that a row of a revocation names. */
  serialNumber: string | null;
  /** Before the job runs, the status that the check expects. */
  status: RowStatus;
  errorCode: string | null;
  message: string | null;
  issuanceId: string | null;
}

/** The status that a row shows: its own status or, until the job runs, the status that the check expects. */
export const shownStatus = sql`
  case when r.status = 'pending' and j.started_at is null and j.finished_at is null
       then coalesce(r.expected, r.status) else r.status end`;

/** A row and its user. */
export interface JobRowOfPerson extends JobRow {
  /** Null: no such user, or not looked up yet. */
  userId: string | null;
  /** How many active profiles an offboarding would revoke, according to its check; 1 or 0 for a revocation. */
  affectedProfiles: number | null;
  /**
   * The user's limit now and after an onboarding that has not run. Null: the row does not change a user's limit, is
   * expected to fail, or is done.
   */
  limitNow: number | null;
  limitThen: number | null;
}

/** The limits of a waiting row's user `u`, if the row changes them. */
const limits = sql`
  lateral (select ${limitOf(sql`u`, sql`m`)} as now, ${limitOf(sql`given`, sql`m`)} as planned
             from users u
             join realms m on m.id = u.realm_id
            cross join (select r.max_profiles as profile_override) as given
            where u.id = r.user_id
              and u.realm_id = j.realm_id
              and j.kind = 'onboarding'
              and r.max_profiles is not null
              and ${shownStatus} = 'changed'
              and r.status = 'pending'
           offset 0) l on l.now <> l.planned`;

export const jobRowSortKeys = ["row"] as const;

export type JobRowSortKey = (typeof jobRowSortKeys)[number];

export interface JobRowFilter {
  status: RowStatus[];
}

/** Lists the rows of a job in the order of its file. The search covers the input and the user's data. */
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
        r.user_id as "userId", r.affected_profiles as "affectedProfiles",
        l.now as "limitNow", l.planned as "limitThen"`,
      join: sql`join job_rows r on r.job_id = ${jobId} and r.position = page.id
                join jobs j on j.id = r.job_id
                left join ${limits}`,
    },
  });

function mentions(search: string, realmId: string): Sql {
  const inPerson = [sql`u.pairwise_id_folded`, sql`u.email_folded`, sql`lower(u.display_name)`];
  const digits = serialDigits(search);
  return sql`(
    ${containsText(sql`lower(array_to_string(r.input, ' '))`, search)}
    ${digits === undefined ? sql`` : sql`or ${serialContains(sql`r.serial_number`, digits)}`}
    or exists (select from users u
                where u.id = r.user_id
                  and u.realm_id = ${realmId}
                  and (${join(
                    inPerson.map((column) => containsText(column, search)),
                    sql` or `,
                  )})
               offset 0))`;
}
