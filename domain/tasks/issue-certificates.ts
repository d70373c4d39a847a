import { z } from "zod";
import { IssuanceID } from "../ids.ts";
import { retries } from "./retries.ts";
import { defineTask } from "./task.ts";

/** The most issuances in one task. */
export const issuancesPerTaskMax = 64;

/** Makes certificates that clients are waiting for and that were accepted at the same moment. */
export const issueCertificates = defineTask({
  name: "issue-certificates",
  queue: "issuance",
  payload: z.strictObject({
    version: z.literal(1),
    issuanceIds: z.array(IssuanceID).min(1).max(issuancesPerTaskMax),
  }),
  // The first id identifies the task: a new issuance is in one task only, and an issuance that is requested again gets
  // its own task.
  taskId: ({ issuanceIds: [first] }) => `of_${first}`,
  ...retries.issuance,
});
