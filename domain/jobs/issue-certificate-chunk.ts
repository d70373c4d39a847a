import { z } from "zod";
import { BatchID } from "../ids.ts";
import { defineJob } from "./job.ts";

/**
 * Positions per chunk. Every chunk begins at a multiple of it, so that adding a chunk again means the same job. A chunk
 * takes well under a second with P-256 keys, and some seconds with RSA keys that are made on the spot.
 */
export const chunkSize = 200;

/** The issuances of a batch at positions `from` (inclusive) to `to` (exclusive). */
export const issueCertificateChunk = defineJob({
  name: "issue-certificate-chunk",
  queue: "issuance-bulk",
  payload: z.strictObject({
    version: z.literal(1),
    batchId: BatchID,
    from: z.int().min(0),
    to: z.int().min(1),
  }),
  jobId: ({ batchId, from }) => `${batchId}_${from}`,
  attempts: 5,
  backoffMs: 2000,
});
