import { z } from "zod";
import { IssuanceID } from "../ids.ts";
import { defineTask } from "./task.ts";

/** So many issuances are one task at most. */
export const issuancesPerTaskMax = 64;

/** Issuances that somebody is waiting for, which were accepted at the same moment. */
export const issueCertificates = defineTask({
  name: "issue-certificates",
  queue: "issuance",
  payload: z.strictObject({
    version: z.literal(1),
    issuanceIds: z.array(IssuanceID).min(1).max(issuancesPerTaskMax),
  }),
  // An issuance is new in one task only, and one that is asked for again is a task of its own.
  taskId: ({ issuanceIds: [first] }) => `of_${first}`,
  attempts: 5,
  backoffMs: 500,
});
