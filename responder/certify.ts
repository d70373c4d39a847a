import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/client.ts";
import * as responders from "../db/queries/certificates/ocsp-responders.ts";

/** A certificate that the issuer has signed for a responder's key. */
export interface Certified {
  /** DER. */
  certificate: Uint8Array;
  notBefore: Date;
  notAfter: Date;
}

/**
 * Obtains a certificate of the issuer for a responder's public key. Another call for the same key continues the wait.
 */
export type Certify = (request: { issuerId: string; publicKeySpki: Buffer }) => Promise<Certified>;

/** How often to check whether a worker has signed the certificate, and for how long. */
const lookMs = 250;
const waitMsMax = 10_000;

/**
 * Creates a function that requests a certificate by adding a row, which a worker finds within a second. The function
 * rejects if no worker has signed within 10 s; the row stays.
 */
export function createCertify({ db, processId }: { db: Database; processId: string }): Certify {
  return async ({ issuerId, publicKeySpki: publicKey }) => {
    const giveUpAt = performance.now() + waitMsMax;
    let isRequested = false;
    for (;;) {
      const found = await responders.findCertificate(db, publicKey);
      if (found !== undefined) return found;
      if (performance.now() >= giveUpAt) throw new Error("no worker has signed a responder's certificate");
      if (!isRequested) await responders.request(db, { processId, issuerId, publicKey });
      isRequested = true;
      await pause(lookMs);
    }
  };
}
