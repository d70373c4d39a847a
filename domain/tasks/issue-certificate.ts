import { z } from "zod";
import { IssuanceID } from "../ids.ts";
import { defineTask } from "./task.ts";

/** One issuance that somebody is waiting for. Earlier releases enqueue it, and what they left is still done. */
export const issueCertificate = defineTask({
  name: "issue-certificate",
  queue: "issuance",
  payload: z.strictObject({ version: z.literal(1), issuanceId: IssuanceID }),
  taskId: ({ issuanceId }) => issuanceId,
  attempts: 5,
  backoffMs: 500,
});
