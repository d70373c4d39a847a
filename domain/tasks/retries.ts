/** How often a task of each queue is tried, and the pause after the first failure. The pause doubles each time. */
export const retries = {
  issuance: { attempts: 5, backoffMs: 500 },
  "bulk-job-steps": { attempts: 3, backoffMs: 1_000 },
  // Short: a chunk that has used up its attempts is added again; one that waits for its next attempt is not.
  "bulk-job-rows": { attempts: 5, backoffMs: 250 },
} as const;
