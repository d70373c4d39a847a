import { z } from "zod";
import { columnMeanings, mappedColumnsMax } from "../../../../domain/bulk-job/input/columns.ts";
import { graceDaysMax } from "../../../../domain/lifetimes.ts";
import { jobNameMax } from "../../../../domain/bulk-job/job.ts";
import { jobRowsMax, jobUploadBytesMax } from "../../../../domain/limits.ts";
import { CertificateFormat } from "../../../../domain/certificate/format.ts";
import { DeviceType } from "../../../../domain/certificate/device.ts";
import { realmLimits } from "../../../../domain/realm.ts";
import { RevocationReason, revocationReasons } from "../../../../domain/certificate/revocation.ts";
import { text } from "../../../../domain/text.ts";
import { filters } from "../../../contract/filters.ts";
import type { UploadFormats } from "../../../contract/endpoint.ts";
import { positionsMax } from "./input.ts";

/** The query parameters for creating a bulk job. */
export const JobQuery = z.object({
  dryRun: filters.flag.optional().describe("true: only check, change nothing, and wait to be started."),
  executeAt: filters.instant.optional().describe("When to run, within 90 days. Default: at once."),
  confirmTotal: filters.count.optional().describe("The number of people who would change, if it has to be confirmed."),
  name: text(1, jobNameMax).optional().describe("The name of the job: the file's name, or a title."),
  rowOffset: filters.count
    .refine((count) => count <= positionsMax, `must be at most ${positionsMax}`)
    .optional()
    .describe("The number of rows in the file before row 1. Shown with the job; numbers stay as they are."),
  columns: z
    .record(z.string(), z.enum(columnMeanings, `must be one of ${columnMeanings.join(", ")}`))
    .refine((columns) => Object.keys(columns).length <= mappedColumnsMax, `must be at most ${mappedColumnsMax}`)
    .optional()
    .describe(
      "The meanings of a CSV file's columns, by their headings: `columns[Matrikel]=pairwiseID&columns[Vorname]=ignore`. `fault`: " +
        "why the program that wrote the file could not read a row; a row that has text there fails with it.",
    ),
  unknownColumns: z
    .literal("ignore", 'must be "ignore"')
    .optional()
    .describe("`ignore`: columns of a CSV file that are unknown are left out. Default: they are faults of the file."),
  header: z
    .literal("none", 'must be "none"')
    .optional()
    .describe(
      "`none`: a CSV file of one column without a heading; its first line is data. Default: the first line has the headings.",
    ),
});

/** The query parameters of an upload for an offboarding. */
export const OffboardingQuery = JobQuery.extend({
  graceDays: filters.count
    .refine((days) => days >= 1 && days <= graceDaysMax, `must be from 1 to ${graceDaysMax}`)
    .optional()
    .describe(
      `All people in the job are locked out at once, and their devices go offline this many days later, 1 to ${graceDaysMax}. Default: at once.`,
    ),
});
export type JobQuery = z.output<typeof JobQuery> & Pick<z.output<typeof OffboardingQuery>, "graceDays">;

/** Parameters for creating another kind of job: refused where they would have no effect. */
export const forOtherKinds = { graceDays: "is for an offboarding", reason: "is for a revocation" };

/** The query parameters of an upload for a revocation. */
export const RevocationQuery = JobQuery.extend({
  reason: filters.count
    .pipe(RevocationReason)
    .default(revocationReasons.unspecified)
    .describe(
      `CRLReason (RFC 5280 section 5.3.1): ${Object.values(revocationReasons).join(", ")}. Default: ${revocationReasons.unspecified}.`,
    ),
});

const OnboardingRow = z
  .object({
    pairwiseID: z.string().nullish().describe("This or an email."),
    email: z
      .string()
      .nullish()
      .describe("Without a pairwiseID: identifies the row's person, who must exist and be the only one with it."),
    maxProfiles: z.int().min(0).max(realmLimits.maxProfiles).nullish(),
    profileName: z.string().nullish().describe("With deviceType and format: a profile to issue at once."),
    deviceType: DeviceType.nullish(),
    format: CertificateFormat.nullish(),
  })
  .meta({ id: "OnboardingRow" });

const OffboardingRow = z
  .object({ userID: z.string().nullish(), pairwiseID: z.string().nullish(), email: z.string().nullish() })
  .describe("One of them. The e-mail address counts only without the others.")
  .meta({ id: "OffboardingRow" });

const Matching = z.object({ search: z.string().nullish(), filter: z.record(z.string(), z.string()).nullish() });
const UserMatching = Matching.describe(
  "Everybody whom `GET /api/user` finds with this search and filter when the job is created, without forgotten people; " +
    "needs `user.read` as well. `{}` is everybody. Nothing else may be in it.",
).meta({ id: "UserMatching" });
const ProfileMatching = Matching.describe(
  "Every active profile that `GET /api/profiles` finds with this search and filter when the job is created; needs " +
    "`profile.read` as well. `{}` is every active profile. Nothing else may be in it.",
).meta({ id: "ProfileMatching" });

const WrittenSerial = z
  .string()
  .describe("Decimal, also in groups, or hexadecimal, with or without separators and `0x`. Digits alone are decimal.");
const RevocationRow = z.object({ serial: WrittenSerial }).meta({ id: "RevocationRow" });

interface Offered {
  /** A whole file in JSON. */
  json: z.ZodType;
  /** A line of NDJSON. */
  row: z.ZodType;
  csvHeader: string;
  /** The kinds of id that a table with a single column and no heading (`header=none`) may contain. */
  bare: string;
}

const offerOf = ({ json, row, csvHeader, bare }: Offered): UploadFormats => ({
  bytesMax: jobUploadBytesMax,
  types: {
    "application/json": { schema: json },
    "application/x-ndjson": {
      schema: row,
      aliases: ["application/ndjson", "application/jsonl", "application/x-jsonlines", "application/jsonlines"],
    },
    "text/csv": {
      schema: z
        .string()
        .describe(
          `UTF-8, UTF-16 with a byte order mark, or what charset says; comma, semicolon or tab. The header: ${csvHeader}, in any order and case; ` +
            `with \`header=none\` the file has one column of ${bare} and no header.`,
        ),
      charsets: ["windows-1252", "iso-8859-1"],
      aliases: ["application/csv", "text/tab-separated-values", "application/vnd.ms-excel"],
    },
  },
});

/** Returns the schema of rows, or of the search and filter that find them. */
const rowsOr = (rows: z.ZodType, matching: z.ZodType): z.ZodType => z.union([rows, z.object({ matching })]);

const peopleOffer = (row: z.ZodType, csvHeader: string, matching?: z.ZodType): UploadFormats => {
  const users = z.object({ users: z.array(row).max(jobRowsMax) });
  return offerOf({
    json: matching === undefined ? users : rowsOr(users, matching),
    row,
    csvHeader,
    bare: "pairwise ids or e-mail addresses",
  });
};

export const onboardingOffer = peopleOffer(
  OnboardingRow,
  "pairwiseID or email, and optionally maxProfiles, profileName, deviceType, format",
);
/** The input that an offboarding or a reactivation takes: rows that only identify a person, or a search and filter. */
export const personOffer = peopleOffer(OffboardingRow, "userID, pairwiseID or email", UserMatching);
/** The input of jobs whose rows identify a profile. */
export const profileOffer = offerOf({
  json: rowsOr(z.object({ serials: z.array(WrittenSerial).max(jobRowsMax) }), ProfileMatching),
  row: RevocationRow,
  csvHeader: "serial",
  bare: "serial numbers",
});
