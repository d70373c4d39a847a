import { z } from "zod";
import { IssuanceID } from "../ids.ts";
import { retries } from "./retries.ts";
import { defineTask } from "./task.ts";

/**
 * Makes one certificate that a client is waiting for. Only earlier releases enqueue this task; workers still process
 * the remaining tasks.
 */
export const issueCertificate = defineTask({
  name: "issue-certificate",
  queue: "issuance",
  payload: z.strictObject({ version: z.literal(1), issuanceId: IssuanceID }),
  taskId: ({ issuanceId }) => issuanceId,
  ...retries.issuance,
});
