import { z } from "zod";
import { IssuanceID } from "../ids.ts";
import { retries } from "./retries.ts";
import { defineTask } from "./task.ts";

/** The most issuances of one task. */
export const issuancesPerTaskMax = 64;

/** Issuances that clients are waiting for, accepted at the same moment. */
export const issueCertificates = defineTask({
  name: "issue-certificates",
  queue: "issuance",
  payload: z.strictObject({
    version: z.literal(1),
    issuanceIds: z.array(IssuanceID).min(1).max(issuancesPerTaskMax),
  }),
  // An issuance is new in one task only; one that is requested again is a task of its own.
  taskId: ({ issuanceIds: [first] }) => `of_${first}`,
  ...retries.issuance,
});
