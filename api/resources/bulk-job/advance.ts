import { advanceBulkJob, type advanceCauses } from "../../../domain/tasks/advance-bulk-job.ts";
import type { BulkJobID } from "../../../domain/ids.ts";
import type { IncomingCall } from "../../contract/endpoint.ts";

/** Notifies the workers of a job. While the queue is away, the workers find the job by its row. */
export async function advance(
  jobId: BulkJobID,
  cause: (typeof advanceCauses)[number],
  { deps: { queues, metrics }, log }: Pick<IncomingCall, "deps" | "log">,
): Promise<void> {
  try {
    await queues.enqueue(advanceBulkJob, { version: 1, jobId, cause });
  } catch (error) {
    metrics.enqueueFailed();
    log.warn({ event: "job.enqueue_failed", jobId, err: error }, "the queue is away; the workers will find the job");
  }
}
