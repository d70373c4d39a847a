import { z } from "zod";
import { IssuanceID } from "../ids.ts";
import { defineJob } from "./task.ts";

/** One issuance that somebody is waiting for. */
export const issueCertificate = defineJob({
  name: "issue-certificate",
  queue: "issuance",
  payload: z.strictObject({ version: z.literal(1), issuanceId: IssuanceID }),
  jobId: ({ issuanceId }) => issuanceId,
  attempts: 5,
  backoffMs: 500,
});
