import type { Database } from "../../db/client.ts";
import * as responders from "../../db/queries/certificates/ocsp-responders.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Issuers } from "../issuance/issuers.ts";
import { drawSerialNumber } from "../../pki/serial-number.ts";
import type { SigningPool } from "../signing/pool.ts";

/** How long a responder's certificate is valid. It cannot be revoked, so this is how long a stolen key would be of use. */
const validDays = 7;

/** For clocks that are behind. */
const backdateSeconds = 300;

/** A certificate that the issuer has signed for a responder's key. */
export interface Certified {
  /** DER. */
  certificate: Uint8Array;
  notBefore: Date;
  notAfter: Date;
}

export interface CertifyDeps {
  db: Database;
  pool: Pick<SigningPool, "certifyResponder">;
  issuers: Issuers;
  workerId: string;
  clock: Clock;
}

/**
 * Has a responder's key certified by its issuer. What is going to be signed is in the database before it is signed, with a
 * serial number that nothing else of the issuer has, so that nothing is signed that no row knows.
 */
export async function certifyResponder(
  { db, pool, issuers, workerId, clock }: CertifyDeps,
  { issuerId, publicKeySpki }: { issuerId: string; publicKeySpki: Uint8Array },
): Promise<Certified> {
  await issuers.ensure([issuerId]);
  const at = clock.now();
  const now = Math.floor(at.getTime() / 1_000) * 1_000;
  const intent = await responders.recordIntent(db, {
    issuerId,
    serialNumber: drawSerialNumber(),
    workerId,
    publicKey: Buffer.from(publicKeySpki),
    notBefore: new Date(now - backdateSeconds * 1_000),
    notAfter: new Date(now + validDays * 86_400_000),
    at,
  });
  if (intent === undefined) throw new Error(`issuer ${issuerId} has no responder now`);
  const { serialNumber, publicKey, notBefore, notAfter } = intent;
  const certificate = await pool.certifyResponder({
    issuerId: intent.issuerId,
    serialNumber,
    publicKeySpki: new Uint8Array(publicKey),
    notBefore,
    notAfter,
  });
  await responders.recordCertificate(db, { issuerId, serialNumber, certificate });
  return { certificate, notBefore, notAfter };
}
