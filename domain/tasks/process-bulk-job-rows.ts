import { z } from "zod";
import { BulkJobID } from "../ids.ts";
import { retries } from "./retries.ts";
import { defineTask } from "./task.ts";

/**
 * The rows of a chunk. Every chunk begins at a multiple of this plus one, so adding a chunk again yields the same task.
 */
export const chunkSize = 500;

/** Processes the unfinished rows of a bulk job at positions `from` (inclusive) to `to` (exclusive). */
export const processBulkJobRows = defineTask({
  name: "process-bulk-job-rows",
  queue: "bulk-job-rows",
  payload: z.strictObject({
    version: z.literal(1),
    jobId: BulkJobID,
    from: z.int().min(1),
    to: z.int().min(2),
  }),
  taskId: ({ jobId, from }) => `${jobId}_${from}`,
  // The n-th chunk of every job comes before the (n+1)-th of any job: a small job does not wait behind a large one.
  priority: ({ from }) => 1000 + Math.floor(from / chunkSize),
  ...retries["bulk-job-rows"],
});
