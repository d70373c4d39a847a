import * as jobs from "../../../db/queries/bulk-job/progress.ts";
import * as jobRows from "../../../db/queries/bulk-job/run/rows.ts";
import type { WorkedJob } from "../../../db/queries/bulk-job/progress.ts";
import type { RowErrorCode } from "../../../domain/bulk-job/row-errors.ts";
import type { BulkJobDeps } from "../deps.ts";
import { slicesOf } from "../bisect.ts";

/** How many rows one statement skips. */
const sliceSize = 5_000;

/**
 * Skips rows that were not begun. Rows under way are finished: locked-out users lose their profiles, and profiles being
 * made are settled.
 */
export async function skipPending(deps: Pick<BulkJobDeps, "db" | "clock">, job: WorkedJob): Promise<void> {
  await recountFromRows(deps, job);
  await skipAll(deps, job, "cancelled");
}

/** Recounts a job that has not begun from its rows, because its counts were the findings of the check until now. */
export async function recountFromRows({ db, clock }: Pick<BulkJobDeps, "db" | "clock">, job: WorkedJob): Promise<void> {
  if (job.startedAt !== null) return;
  await db.transaction(async (tx) => {
    await jobs.lock(tx, job.id);
    await jobRows.recount(tx, { jobId: job.id, at: clock.now() });
  });
}

/** Skips rows that were not begun. */
export async function skipAll(
  { db, clock }: Pick<BulkJobDeps, "db" | "clock">,
  { id: jobId, lastPosition }: WorkedJob,
  code: RowErrorCode,
): Promise<void> {
  for (const slice of slicesOf({ jobId, from: 1, to: lastPosition + 1 }, sliceSize)) {
    await jobRows.skip(db, { ...slice, code, at: clock.now() });
  }
}
