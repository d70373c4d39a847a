import { advanceBulkJob } from "./advance-bulk-job.ts";
import { issueCertificate } from "./issue-certificate.ts";
import { issueCertificates } from "./issue-certificates.ts";
import { processBulkJobRows } from "./process-bulk-job-rows.ts";

export const tasks = { issueCertificate, issueCertificates, advanceBulkJob, processBulkJobRows } as const;
