import { issueCertificates, issuancesPerTaskMax } from "../../../domain/tasks/issue-certificates.ts";
import type { IssuanceID } from "../../../domain/ids.ts";
import { createBatcher } from "../../../runtime/queue/batch.ts";
import type { Log } from "../../../runtime/log.ts";
import type { Deps, EnqueueIssuance } from "../../contract/deps.ts";

/**
 * Notifies the workers of new issuances. Issuances accepted in one turn of the event loop share one task. While the
 * queue is away, a worker's sweep finds the rows.
 */
export function createEnqueuer({
  queues,
  metrics,
  log,
}: Pick<Deps, "queues" | "metrics"> & { log: Pick<Log, "warn"> }): EnqueueIssuance {
  async function enqueue(issuanceIds: readonly IssuanceID[]): Promise<void> {
    try {
      await queues.enqueue(issueCertificates, { version: 1, issuanceIds: [...issuanceIds] });
    } catch (err) {
      metrics.enqueueFailed();
      log.warn({ event: "issuances.enqueue_failed", issuanceIds, err }, "the queue is away; the sweep will find them");
    }
  }
  const enqueueTogether = createBatcher(
    async (issuanceIds: readonly IssuanceID[]) => {
      await enqueue(issuanceIds);
      return issuanceIds.map(() => undefined);
    },
    { itemsMax: issuancesPerTaskMax, inFlightMax: Number.POSITIVE_INFINITY, waitMsMax: 0 },
  );
  return (id, { isNew }) => (isNew ? enqueueTogether(id) : enqueue([id]));
}
