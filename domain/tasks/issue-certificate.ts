import { z } from "zod";
import { IssuanceID } from "../ids.ts";
import { retries } from "./retries.ts";
import { defineTask } from "./task.ts";

/** One issuance that a client is waiting for. Earlier releases enqueue it, and workers still process what they left. */
export const issueCertificate = defineTask({
  name: "issue-certificate",
  queue: "issuance",
  payload: z.strictObject({ version: z.literal(1), issuanceId: IssuanceID }),
  taskId: ({ issuanceId }) => issuanceId,
  ...retries.issuance,
});
