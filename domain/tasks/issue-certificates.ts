import { z } from "zod";
import { IssuanceID } from "../ids.ts";
import { retries } from "./retries.ts";
import { defineTask } from "./task.ts";

/** The most issuances in one task. */
export const issuancesPerTaskMax = 64;

/** Issuances that clients are waiting for, accepted at the same moment. */
export const issueCertificates = defineTask({
  name: "issue-certificates",
  queue: "issuance",
  payload: z.strictObject({
    version: z.literal(1),
    issuanceIds: z.array(IssuanceID).min(1).max(issuancesPerTaskMax),
  }),
  // A new issuance is in one task only; an issuance that is requested again gets its own task.
  taskId: ({ issuanceIds: [first] }) => `of_${first}`,
  ...retries.issuance,
});
