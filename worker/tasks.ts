import { advanceJob } from "../domain/tasks/advance-job.ts";
import { issueCertificate } from "../domain/tasks/issue-certificate.ts";
import type { JobDefinition } from "../domain/tasks/task.ts";
import type { jobs } from "../domain/tasks/tasks.ts";
import { workJobRows } from "../domain/tasks/work-job-rows.ts";
import type { Batcher } from "../runtime/batch.ts";
import type { Log } from "../runtime/log.ts";
import { TryAgain, UnrecoverableError, type TakenJob } from "../runtime/queues.ts";
import { advance } from "./bulk-job/advance.ts";
import type { JobDeps } from "./bulk-job/deps.ts";
import { workRows } from "./bulk-job/work-rows.ts";
import type { IssuanceOutcome } from "./issuance/issue.ts";

/** A processor with the definition it is for. */
interface Processor {
  name: string;
  process(job: TakenJob, log: Log): Promise<unknown>;
}

export interface ProcessorDeps extends JobDeps {
  /** Issues one certificate, together with others that are waiting. */
  issue: Batcher<string, IssuanceOutcome>;
}

/** A processor for every task; the compiler says which one is missing. */
export const processors = (deps: ProcessorDeps): Record<keyof typeof jobs, Processor> => ({
  issueCertificate: processor(issueCertificate, async ({ issuanceId }) => {
    const outcome = await deps.issue(issuanceId);
    if (outcome === "released") throw new TryAgain("the issuance went back to the queue");
    return outcome;
  }),
  advanceJob: processor(advanceJob, ({ jobId }) => advance(deps, jobId)),
  workJobRows: processor(workJobRows, (chunk) => workRows(deps, chunk)),
});

/**
 * Ties what a worker does to a task's definition. A payload that does not fit the definition is never tried again: the
 * rows, not the task, say what there is to do, and the sweep enqueues a proper one for them.
 */
const processor = <Payload>(
  definition: JobDefinition<Payload>,
  run: (payload: Payload) => Promise<unknown>,
): Processor => ({
  name: definition.name,
  async process(job, log) {
    const parsed = definition.payload.safeParse(job.data);
    if (!parsed.success) {
      log.error({ event: "job.malformed", jobId: job.id, job: job.name }, "a job's payload is not what it should be");
      throw new UnrecoverableError("malformed payload");
    }
    return run(parsed.data);
  },
});
