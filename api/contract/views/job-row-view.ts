import { z } from "zod";
import type { JobRow, JobRowOfPerson } from "../../../db/queries/bulk-job/rows.ts";
import type { Job } from "../../../db/queries/bulk-job/jobs.ts";
import { jobColumns, readHeading, type JobColumn } from "../../../domain/bulk-job/input/columns.ts";
import { rowStatuses } from "../../../domain/bulk-job/job.ts";
import { rowErrors } from "../../../domain/bulk-job/row-errors.ts";
import type { CreationOutput } from "../../../domain/certificate/format.ts";

const cell = z.string().nullable().optional();

/** A row of a job on the wire: its input, its outcome and the issued profile. */
export const JobRowView = z
  .object({
    userID: cell,
    pairwiseID: cell,
    email: cell,
    maxProfiles: z.union([z.int(), z.string()]).nullable().optional(),
    profileName: cell,
    deviceType: cell,
    format: cell,
    row: z.int().describe("Its number in the input, from 1, without the header."),
    status: z.enum(rowStatuses).describe("Until the job runs: the result that the check expects."),
    error: z
      .string()
      .nullable()
      .describe(`One of ${Object.keys(rowErrors).join(", ")}.`),
    message: z.string().nullable(),
    serial: cell.describe("Of the issued profile; for a revocation, of the profile to revoke."),
    identity: z.string().optional(),
    radiusCN: z.string().optional(),
    data: z.string().optional(),
    certificate: z.string().optional(),
    privateKey: z.string().optional(),
  })
  .meta({ id: "JobRow" });
export type JobRowView = z.infer<typeof JobRowView>;

/** A row of a job with its person, and how many of the person's profiles an offboarding or a revocation revokes. */
export const JobRowOfPersonView = JobRowView.extend({
  user: z.string().nullable().describe("The userID of the person; null: unknown, or not checked yet."),
  profiles: z
    .int()
    .nullable()
    .describe("Offboarding: how many active profiles the person had at the check. Revocation: 1 or 0."),
  limit: z
    .object({ before: z.int(), after: z.int() })
    .nullable()
    .describe(
      "Onboarding, until the job runs: how many profiles the person may have now, and after it, where it changes that. " +
        "Null: it stays, or the token lacks `user.read`.",
    ),
}).meta({ id: "JobRowOfPerson" });
export type JobRowOfPersonView = z.infer<typeof JobRowOfPersonView>;

/** The profile issued for a row. */
export interface RowProfile {
  serial: string;
  identity: string;
  radiusCN: string;
  /** Undefined if the caller may not read the output, and once the output is erased. */
  output: CreationOutput | undefined;
}

/** Returns the columns of its kind that a job's input has, in the order of the input. */
export const inputColumns = ({ kind, columns }: Pick<Job, "kind" | "columns">): JobColumn[] =>
  columns
    .map((heading) => readHeading(kind, heading))
    .filter((column): column is JobColumn => (jobColumns[kind] as readonly unknown[]).includes(column));

export function jobRowView(
  row: JobRow,
  { columns, profile }: { columns: readonly JobColumn[]; profile: RowProfile | undefined },
): JobRowView {
  const input = Object.fromEntries(columns.map((column, index) => [column, row.input[index] ?? null]));
  const { output, ...issued } = profile ?? { output: undefined };
  return {
    ...input,
    ...(row.maxProfiles !== null && { maxProfiles: row.maxProfiles }),
    ...(row.serialNumber !== null && { serial: row.serialNumber }),
    row: row.position,
    status: row.status,
    ...outcomeOf(row),
    ...issued,
    ...output,
  };
}

export const jobRowOfPersonView = (
  row: JobRowOfPerson,
  { columns, showsLimits }: { columns: readonly JobColumn[]; showsLimits: boolean },
): JobRowOfPersonView => ({
  ...jobRowView(row, { columns, profile: undefined }),
  user: row.userId,
  profiles: row.affectedProfiles,
  limit:
    showsLimits && row.limitNow !== null && row.limitThen !== null
      ? { before: row.limitNow, after: row.limitThen }
      : null,
});

/** Returns the message for a row's error code. */
export const wordsFor = (errorCode: string): string => words.get(errorCode) ?? rowErrors.internal_error;

/** Returns why a row failed or was skipped; nulls for a row with any other status. */
function outcomeOf({ status, errorCode, message }: JobRow): { error: string | null; message: string | null } {
  if ((status !== "failed" && status !== "skipped") || errorCode === null) return { error: null, message: null };
  return { error: errorCode, message: message ?? wordsFor(errorCode) };
}

const words: ReadonlyMap<string, string> = new Map(Object.entries(rowErrors));
