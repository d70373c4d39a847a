import { isContention, withoutValues } from "../../db/contention.ts";
import { DatabaseUnavailable } from "../../db/outage.ts";
import type { RowRange } from "../../db/queries/bulk-job/progress.ts";
import type { Log } from "../../runtime/log.ts";

/** How many times a slice is tried while other transactions make it fail, before the queue retries the task. */
const triesMax = 5;

/** Cuts a range into parts of `size` rows. */
export function slicesOf({ jobId, from, to }: RowRange, size: number): RowRange[] {
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / size)) }, (_, slice) => ({
    jobId,
    from: from + slice * size,
    to: Math.min(to, from + (slice + 1) * size),
  }));
}

/**
 * Works a slice of rows. If that fails, halves the slice until the faulty row is alone, and gives up that row. Outages,
 * and contention that outlasts a few tries, are no row's fault and are thrown.
 */
export async function bisectOnError<Result>(
  slice: RowRange,
  {
    work,
    giveUp,
    log,
  }: {
    work: (slice: RowRange) => Promise<Result>;
    giveUp: (row: { jobId: string; position: number }) => Promise<Result>;
    log: Log;
  },
): Promise<Result[]> {
  const { jobId, from, to } = slice;
  try {
    return [await withoutContention(() => work(slice))];
  } catch (error) {
    if (error instanceof DatabaseUnavailable || isContention(error)) throw error;
    if (to - from <= 1) {
      // The values in the error may contain a person's name.
      log.error(
        { event: "job.row_failed", bulkJobId: jobId, position: from, fault: withoutValues(error) },
        "a row of a bulk job cannot be processed",
      );
      return [await giveUp({ jobId, position: from })];
    }
  }
  const middle = from + Math.floor((to - from) / 2);
  const first = await bisectOnError({ jobId, from, to: middle }, { work, giveUp, log });
  return [...first, ...(await bisectOnError({ jobId, from: middle, to }, { work, giveUp, log }))];
}

async function withoutContention<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; tries < triesMax; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isContention(error)) throw error;
    }
  }
  return work();
}
