import type { Database } from "../../db/client.ts";
import type { JobKind } from "../../domain/bulk-job/job.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Queues } from "../../runtime/queue/queues.ts";
import type { IssuanceOutcome } from "../issuance/issue.ts";

export interface BulkJobDeps {
  db: Database;
  queues: Pick<Queues, "enqueueAll">;
  issueAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, IssuanceOutcome>>;
  /** How often each job has failed to continue in this process. */
  failures: Map<string, number>;
  /** Called with the counts of rows when a job has ended. */
  onEnd: (kind: JobKind, counts: Readonly<Record<"changed" | "unchanged" | "failed" | "skipped", number>>) => void;
  clock: Clock;
  log: Log;
}
