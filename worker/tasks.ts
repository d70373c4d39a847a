import { advanceBulkJob } from "../domain/tasks/advance-bulk-job.ts";
import { issueCertificate } from "../domain/tasks/issue-certificate.ts";
import { issueCertificates } from "../domain/tasks/issue-certificates.ts";
import type { TaskDefinition } from "../domain/tasks/task.ts";
import type { tasks } from "../domain/tasks/tasks.ts";
import { processBulkJobRows } from "../domain/tasks/process-bulk-job-rows.ts";
import type { Batcher } from "../runtime/batch.ts";
import type { Log } from "../runtime/log.ts";
import { RetryLater, UnrecoverableError, type TakenTask } from "../runtime/queues.ts";
import { advance } from "./bulk-job/advance.ts";
import type { BulkJobDeps } from "./bulk-job/deps.ts";
import { workRows } from "./bulk-job/run/work-rows.ts";
import type { IssuanceOutcome } from "./issuance/issue.ts";

/** A processor with the definition it is for. */
interface Processor {
  name: string;
  process(task: TakenTask, log: Log): Promise<unknown>;
}

export interface ProcessorDeps extends BulkJobDeps {
  /** Issues one certificate, together with others that are waiting. */
  issue: Batcher<string, IssuanceOutcome>;
  /** Told how many seconds a task for single issuances had waited, by the clock of the process that added it. */
  taken: (seconds: number) => void;
}

/** A processor for every task; the compiler says which one is missing. */
export const processors = (deps: ProcessorDeps): Record<keyof typeof tasks, Processor> => ({
  issueCertificate: processor(issueCertificate, ({ issuanceId }, task) => issue(deps, [issuanceId], task)),
  issueCertificates: processor(issueCertificates, ({ issuanceIds }, task) => issue(deps, issuanceIds, task)),
  advanceBulkJob: processor(advanceBulkJob, ({ jobId }) => advance(deps, jobId)),
  processBulkJobRows: processor(processBulkJobRows, (chunk) => workRows(deps, chunk)),
});

/** Tried again as a whole when one went back to the queue: those that are settled are not claimed again. */
async function issue(
  deps: ProcessorDeps,
  issuanceIds: readonly string[],
  { attemptsMade, timestamp }: TakenTask,
): Promise<void> {
  if (attemptsMade === 0) deps.taken(Math.max(0, deps.clock.now().getTime() - timestamp) / 1000);
  const outcomes = await Promise.all(issuanceIds.map(deps.issue));
  if (outcomes.includes("released")) throw new RetryLater("an issuance went back to the queue");
}

/**
 * Ties what a worker does to a task's definition. A payload that does not fit the definition is never tried again: the
 * rows, not the task, say what there is to do, and the sweep enqueues a proper one for them.
 */
const processor = <Payload>(
  definition: TaskDefinition<Payload>,
  run: (payload: Payload, task: TakenTask) => Promise<unknown>,
): Processor => ({
  name: definition.name,
  async process(task, log) {
    const parsed = definition.payload.safeParse(task.data);
    if (!parsed.success) {
      log.error(
        { event: "task.malformed", taskId: task.id, task: task.name },
        "a task's payload is not what it should be",
      );
      throw new UnrecoverableError("malformed payload");
    }
    return run(parsed.data, task);
  },
});
