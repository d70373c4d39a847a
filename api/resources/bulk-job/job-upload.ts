import { z } from "zod";
import { graceDaysMax, jobRowsMax } from "../../../domain/bulk-job/job.ts";
import { CertificateFormat } from "../../../domain/certificate-format.ts";
import { DeviceType } from "../../../domain/device.ts";
import { realmLimits } from "../../../domain/realm.ts";
import { filters } from "../../contract/filters.ts";
import type { UploadFormats } from "../../contract/endpoint.ts";

/** Room for {@link jobRowsMax} rows with every column filled in. */
const bytesMax = 128 * 1024 * 1024;

/** What a bulk job is created with in addition to its rows. */
export const JobQuery = z.object({
  dryRun: filters.flag.optional().describe("true: only check, change nothing, and wait to be started."),
  executeAt: filters.instant.optional().describe("When to run, within 90 days. Default: at once."),
  confirmTotal: filters.count.optional().describe("How many people will change, where that has to be confirmed."),
});

/** The same for an offboarding. */
export const OffboardingQuery = JobQuery.extend({
  graceDays: filters.count
    .refine((days) => days >= 1 && days <= graceDaysMax, `must be from 1 to ${graceDaysMax}`)
    .optional()
    .describe(
      `Everybody is locked out at once, and their devices go off so many days later, 1 to ${graceDaysMax}. Default: at once.`,
    ),
});
export type JobQuery = z.output<typeof JobQuery> & Pick<z.output<typeof OffboardingQuery>, "graceDays">;

const OnboardingRow = z
  .object({
    pairwiseID: z.string(),
    email: z.string().nullish(),
    maxProfiles: z.int().min(0).max(realmLimits.maxProfiles).nullish(),
    profileName: z.string().nullish().describe("With deviceType and format: a profile to issue at once."),
    deviceType: DeviceType.nullish(),
    format: CertificateFormat.nullish(),
  })
  .meta({ id: "OnboardingRow" });

const OffboardingRow = z
  .object({ userID: z.string().nullish(), pairwiseID: z.string().nullish() })
  .describe("One of the two, or both.")
  .meta({ id: "OffboardingRow" });

const offerOf = (row: z.ZodType, csvHeader: string): UploadFormats => ({
  bytesMax,
  types: {
    "application/json": { schema: z.object({ users: z.array(row).max(jobRowsMax) }) },
    "application/x-ndjson": {
      schema: row,
      aliases: ["application/ndjson", "application/jsonl", "application/x-jsonlines", "application/jsonlines"],
    },
    "text/csv": {
      schema: z.string().describe(`UTF-8; comma, semicolon or tab. The header: ${csvHeader}, in any order and case.`),
      aliases: ["application/csv", "text/tab-separated-values", "application/vnd.ms-excel"],
    },
  },
});

export const onboardingOffer = offerOf(
  OnboardingRow,
  "pairwiseID, and optionally email, maxProfiles, profileName, deviceType, format",
);
export const offboardingOffer = offerOf(OffboardingRow, "userID or pairwiseID");
export const reactivationOffer = offboardingOffer;
