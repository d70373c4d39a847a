import { advanceJob } from "./advance-job.ts";
import { issueCertificate } from "./issue-certificate.ts";
import { workJobRows } from "./work-job-rows.ts";

/** Every job there is. */
export const jobs = { issueCertificate, advanceJob, workJobRows } as const;
