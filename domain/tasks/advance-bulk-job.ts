import { z } from "zod";
import { BulkJobID } from "../ids.ts";
import { defineTask } from "./task.ts";

/** Why a bulk job is looked at. It is part of the queue's id, so that a new reason is never swallowed by an old one. */
export const advanceCauses = ["received", "started", "cancelled"] as const;

/** Takes a bulk job one state further: check it, begin it, stop it, finish it. What is to be done is in its row. */
export const advanceBulkJob = defineTask({
  name: "advance-bulk-job",
  queue: "bulk-job-steps",
  payload: z.strictObject({ version: z.literal(1), jobId: BulkJobID, cause: z.enum(advanceCauses) }),
  taskId: ({ jobId, cause }) => `${jobId}_${cause}`,
  attempts: 3,
  backoffMs: 1000,
});
