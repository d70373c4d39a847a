import { z } from "zod";
import { BulkJobID } from "../ids.ts";
import { retries } from "./retries.ts";
import { defineTask } from "./task.ts";

/**
 * Why a bulk job is advanced. The cause is part of the task's id, so a task with an old cause never suppresses a task
 * with a new one.
 */
export const advanceCauses = ["received", "started", "cancelled"] as const;

/**
 * Advances a bulk job by one state: checks, begins, stops or finishes the job, depending on its row in the database.
 */
export const advanceBulkJob = defineTask({
  name: "advance-bulk-job",
  queue: "bulk-job-steps",
  payload: z.strictObject({ version: z.literal(1), jobId: BulkJobID, cause: z.enum(advanceCauses) }),
  taskId: ({ jobId, cause }) => `${jobId}_${cause}`,
  ...retries["bulk-job-steps"],
});
