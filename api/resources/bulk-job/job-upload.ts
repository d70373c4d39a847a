import { z } from "zod";
import { jobRowsMax } from "../../../domain/bulk-job/job.ts";
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
  confirmTotal: filters.count
    .optional()
    .describe("How many people will be offboarded, where that has to be confirmed."),
});
export type JobQuery = z.output<typeof JobQuery>;

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
