import type { jobs } from "../../domain/jobs/index.ts";
import type { JobDeps } from "../job/deps.ts";
import type { Processor } from "../processor.ts";
import { advanceJob } from "./advance-job.ts";
import { issueCertificate } from "./issue-certificate.ts";
import { workJobRows } from "./work-job-rows.ts";

type ProcessorDeps = Parameters<typeof issueCertificate>[0] & JobDeps;

/** A processor for every job; the compiler says which one is missing. */
export const processors = (deps: ProcessorDeps): Record<keyof typeof jobs, Processor> => ({
  issueCertificate: issueCertificate(deps),
  advanceJob: advanceJob(deps),
  workJobRows: workJobRows(deps),
});
