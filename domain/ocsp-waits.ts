/**
 * How long each of those who pass on a question about a certificate waits for an answer, in milliseconds. Each waits longer
 * than the one that it asks, so that all are asked before a RADIUS server has had enough, which is after 3 s. The waits of
 * reverse proxies and of RADIUS servers are in the files that we ship; `test/unit/ocsp-waits.test.ts` compares them.
 */
export const ocspWaits = {
  /** A responder says by then that it cannot answer now. */
  responderMs: 800,
  /** The api asks another responder when one has been silent for so long, which one that is alive never is. */
  apiTryMs: 1_000,
  /** The api answers by then, whatever responders do. */
  apiMs: 2_300,
} as const;
