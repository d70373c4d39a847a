import type { Database } from "../../db/client.ts";
import * as responders from "../../db/queries/certificates/ocsp-responders.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { IssuerAway, type Issuers } from "../issuance/issuers.ts";
import { drawSerialNumber } from "../../pki/serial-number.ts";
import type { SigningPool } from "../signing/pool.ts";
import { clockRoomMinutes, responderCertificateHours } from "../../domain/lifetimes.ts";
import { respondersMax } from "../../domain/limits.ts";

/** The most requests that one worker picks up together. */
const requestsMax = 16;

export interface CertifyDeps {
  db: Database;
  pool: Pick<SigningPool, "certifyResponder">;
  issuers: Pick<Issuers, "away" | "ensure">;
  clock: Clock;
  log: Log;
}

/**
 * Certifies the keys that responders have requested. A request that fails stays, and any worker picks it up again. The
 * intent is stored before it is signed, with a serial number that is unique to the issuer, so everything that is signed
 * has a row. The responder chooses only its key.
 */
export async function certifyRequests(deps: CertifyDeps): Promise<void> {
  const requests = await responders.takeRequests(deps.db, { away: deps.issuers.away(), limit: requestsMax });
  await Promise.all(
    requests.map((request) =>
      certify(deps, request).catch((err: unknown) => {
        if (err instanceof IssuerAway) return;
        deps.log.error({ event: "ocsp.not_certified", issuer: request.issuerId, err }, "a responder was not certified");
      }),
    ),
  );
}

async function certify(deps: CertifyDeps, request: responders.ResponderRequest): Promise<void> {
  const { db, pool, issuers, log } = deps;
  const { issuerId, publicKey } = request;
  await issuers.ensure([issuerId]);
  const intent = await intentOf(deps, request);
  if (intent === "too many") {
    log.error(
      { event: "ocsp.too_many_responders", issuer: issuerId, max: respondersMax },
      "responders have too many unexpired certificates",
    );
    return;
  }
  const { notBefore, notAfter, serialNumber } = intent;
  const intended = { issuerId: intent.issuerId, serialNumber, notBefore, notAfter };
  const certificate = await pool.certifyResponder({ ...intended, publicKeySpki: new Uint8Array(publicKey) });
  await responders.settleRequest(db, { id: request.id, publicKey, certificate });
}

/**
 * Returns the intent to sign: the stored intent if a worker died after storing one, else a new intent; "too many" if
 * the issuer has too many unexpired responder certificates.
 */
const intentOf = (
  { db, clock }: CertifyDeps,
  { issuerId, processId, publicKey }: responders.ResponderRequest,
): Promise<responders.ResponderIntent | "too many"> =>
  db.transaction(async (tx) => {
    await responders.lockIntents(tx, issuerId);
    const found = await responders.findIntent(tx, publicKey);
    if (found !== undefined) {
      if (found.issuerId !== issuerId) throw new Error(`the key has a certificate of issuer ${found.issuerId}`);
      return found;
    }
    if ((await responders.countUnexpired(tx, issuerId)) >= respondersMax) return "too many";
    const at = clock.now();
    const now = Math.floor(at.getTime() / 1_000) * 1_000;
    const intent = await responders.recordIntent(tx, {
      issuerId,
      serialNumber: drawSerialNumber(),
      processId,
      publicKey,
      notBefore: new Date(now - clockRoomMinutes * 60_000),
      notAfter: new Date(now + responderCertificateHours * 3_600_000),
      at,
    });
    if (intent === undefined) throw new Error(`issuer ${issuerId} has no responder now`);
    return intent;
  });
