import type { JobDefinition } from "../domain/jobs/job.ts";
import type { Log } from "../runtime/log.ts";
import { UnrecoverableError, type TakenJob } from "../runtime/queues.ts";

/** A processor with the definition it is for. */
export interface Processor {
  name: string;
  process(job: TakenJob, log: Log): Promise<unknown>;
}

/** Thrown by a processor whose work should be tried again; how it ended is in the rows. */
export class TryAgain extends Error {
  override readonly name = "TryAgain";
}

/**
 * Ties what a worker does to a job's definition. A payload that does not fit the definition is never tried again: the
 * rows, not the job, say what there is to do, and the sweep makes a proper job of them.
 */
export const processor = <Payload>(
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
