import { z } from "zod";
import { BulkJobID } from "../ids.ts";
import { retries } from "./retries.ts";
import { defineTask } from "./task.ts";

/** Why a bulk job is advanced. It is part of the task's id, so an old cause never swallows a new one. */
export const advanceCauses = ["received", "started", "cancelled"] as const;

/** Advances a bulk job by one state: checks it, begins it, stops it or finishes it. Its row determines which. */
export const advanceBulkJob = defineTask({
  name: "advance-bulk-job",
  queue: "bulk-job-steps",
  payload: z.strictObject({ version: z.literal(1), jobId: BulkJobID, cause: z.enum(advanceCauses) }),
  taskId: ({ jobId, cause }) => `${jobId}_${cause}`,
  ...retries["bulk-job-steps"],
});
