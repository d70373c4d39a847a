/** How often a task of each queue is tried, and the pause after the first failure. The pause doubles each time. */
export const retries = {
  issuance: { attempts: 5, backoffMs: 500 },
  "bulk-job-steps": { attempts: 3, backoffMs: 1_000 },
  // The pause is short, because a chunk that waits for its next attempt is not added again. A chunk that has used up
  // its attempts is added again.
  "bulk-job-rows": { attempts: 5, backoffMs: 250 },
} as const;
