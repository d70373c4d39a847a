/**
 * How long each component waits for an answer about a certificate, in milliseconds. A RADIUS server gives up after 3 s.
 * Until then a silent or slow responder must not cost a device its login: the API asks another responder early and
 * still accepts the first responder's answer. The timeouts of reverse proxies and RADIUS servers are in the files that
 * we ship; `test/unit/ocsp-waits.test.ts` compares them.
 */
export const ocspWaits = {
  /** The responder answers "try later" if its database has not answered within this time. */
  responderMs: 2_000,
  /**
   * The API asks another responder if the first has not answered within this time, and uses the answer that arrives
   * first.
   */
  apiAnotherMs: 1_000,
  /** The API answers within this time, whatever the responders do. */
  apiMs: 2_300,
} as const;
