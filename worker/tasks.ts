import { advanceBulkJob } from "../domain/tasks/advance-bulk-job.ts";
import { issueCertificate } from "../domain/tasks/issue-certificate.ts";
import { issueCertificates } from "../domain/tasks/issue-certificates.ts";
import type { TaskDefinition } from "../domain/tasks/task.ts";
import type { tasks } from "../domain/tasks/tasks.ts";
import { processBulkJobRows } from "../domain/tasks/process-bulk-job-rows.ts";
import type { Batcher } from "../runtime/queue/batch.ts";
import type { Log } from "../runtime/log.ts";
import { RetryLater, UnrecoverableError, type TakenTask } from "../runtime/queue/queues.ts";
import { advance } from "./bulk-job/advance.ts";
import type { BulkJobDeps } from "./bulk-job/deps.ts";
import { workRows } from "./bulk-job/run/work-rows.ts";
import type { IssuanceOutcome } from "./issuance/issue.ts";

interface Processor {
  name: string;
  process(task: TakenTask, log: Log): Promise<unknown>;
}

export interface ProcessorDeps extends BulkJobDeps {
  /** Issues one certificate, together with others that are waiting. */
  issue: Batcher<string, IssuanceOutcome>;
  /**
   * Receives how many seconds a task for single issuances has waited before its first attempt; the clock of the process
   * that added it sets the start.
   */
  taken: (seconds: number) => void;
}

/** A processor for every task; the compiler reports a missing one. */
export const processors = (deps: ProcessorDeps): Record<keyof typeof tasks, Processor> => ({
  issueCertificate: processor(issueCertificate, ({ issuanceId }, task) => issue(deps, [issuanceId], task)),
  issueCertificates: processor(issueCertificates, ({ issuanceIds }, task) => issue(deps, issuanceIds, task)),
  advanceBulkJob: processor(advanceBulkJob, ({ jobId }) => advance(deps, jobId)),
  processBulkJobRows: processor(processBulkJobRows, (chunk) => workRows(deps, chunk)),
});

/** Retries the whole task if one issuance went back to the queue: settled ones are not claimed again. */
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
 * Binds a worker's function to a task's definition. A payload that does not fit the definition is never retried: the
 * rows, not the task, define the work, and the sweep enqueues a proper task for them.
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
        "a task's payload does not fit its definition",
      );
      throw new UnrecoverableError("malformed payload");
    }
    return run(parsed.data, task);
  },
});
