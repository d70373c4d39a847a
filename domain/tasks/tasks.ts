import { advanceBulkJob } from "./advance-bulk-job.ts";
import { issueCertificate } from "./issue-certificate.ts";
import { processBulkJobRows } from "./process-bulk-job-rows.ts";

/** Every task there is. */
export const tasks = { issueCertificate, advanceBulkJob, processBulkJobRows } as const;
