import { workJobRows as definition } from "../../domain/jobs/work-job-rows.ts";
import type { JobDeps } from "../job/deps.ts";
import { workRows } from "../job/work-rows.ts";
import { processor } from "../processor.ts";

/** The rows of one chunk of a bulk job that nobody has finished yet. */
export const workJobRows = (deps: JobDeps) => processor(definition, (chunk) => workRows(deps, chunk));
