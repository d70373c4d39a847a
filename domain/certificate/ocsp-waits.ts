/**
 * How long each component waits for an answer about a certificate, in milliseconds. A RADIUS server gives up after 3 s. Until
 * then a silent responder must not cost a device its login, and neither must a slow one: another responder is asked early, and
 * the first is still listened to. The waits of reverse proxies and of RADIUS servers are in the files that we ship;
 * `test/unit/ocsp-waits.test.ts` compares them.
 */
export const ocspWaits = {
  /** The responder answers "try later" if its database has not answered by then. */
  responderMs: 2_000,
  /** The API asks another responder if one has not answered by then, and takes the first answer. */
  apiAnotherMs: 1_000,
  /** The API has answered by then, whatever responders do. */
  apiMs: 2_300,
} as const;
