import * as upkeep from "../../../db/queries/bulk-job/results/upkeep.ts";
import { untilNone } from "../../../runtime/each-by-itself.ts";
import type { BulkJobDeps } from "../deps.ts";

/**
 * Erases private keys when jobs have kept them long enough, and removes jobs that are old or were never uploaded in
 * full.
 */
export async function purgeJobs({ db, clock, log }: Pick<BulkJobDeps, "db" | "clock" | "log">): Promise<void> {
  const removed = {
    uploads: await upkeep.removeBrokenUploads(db, { at: clock.now() }),
    outputs: await untilNone(() => upkeep.eraseJobOutputs(db, { at: clock.now() })),
    jobs: await untilNone(() => upkeep.removeOldJob(db, { at: clock.now() })),
  };
  if (removed.uploads + removed.outputs + removed.jobs > 0) {
    log.info({ event: "upkeep.jobs_purged", ...removed }, "expired data of bulk jobs removed");
  }
}
