import { issueCertificate } from "../../../domain/tasks/issue-certificate.ts";
import type { IssuanceID } from "../../../domain/ids.ts";
import type { Log } from "../../../runtime/log.ts";
import type { Deps } from "../../contract/deps.ts";

/** Tells the workers. While the queue is away the row is the outbox: a worker's sweep finds it. */
export async function enqueueIssuance(
  id: IssuanceID,
  { queues, metrics }: Pick<Deps, "queues" | "metrics">,
  log: Log,
): Promise<void> {
  try {
    await queues.enqueue(issueCertificate, { version: 1, issuanceId: id });
  } catch (error) {
    metrics.enqueueFailed();
    log.warn(
      { event: "issuance.enqueue_failed", issuanceId: id, err: error },
      "the queue is away; the sweep will find it",
    );
  }
}
