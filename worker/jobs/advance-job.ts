import { advanceJob as definition } from "../../domain/jobs/advance-job.ts";
import { advance } from "../job/advance.ts";
import type { JobDeps } from "../job/deps.ts";
import { processor } from "../processor.ts";

/** A bulk job, as far as it goes now. */
export const advanceJob = (deps: JobDeps) => processor(definition, ({ jobId }) => advance(deps, jobId));
