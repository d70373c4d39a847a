import type { StatusRow } from "../db/queries/certificates/ocsp.ts";
import { DatabaseUnavailable } from "../db/outage.ts";
import type { ServiceClock } from "../runtime/clock.ts";
import { readOcspRequest, type CertId } from "./ocsp-request.ts";
import {
  encodeOcspResponse,
  encodeResponseData,
  type CertificateStatus,
  type SingleResponse,
} from "./ocsp-response.ts";
import { errorAnswer, type OcspAnswer } from "./answer.ts";
import { createAnswerCache } from "./answer-cache.ts";
import { IdentityUnavailable, type Identities, type Identity } from "./identities.ts";
import { isIssuerOf, type OcspIssuers } from "./issuers.ts";
import type { LastOcsp } from "./last-ocsp.ts";
import type { StatusAskers } from "../process/status-askers.ts";
import type { StatusCounts } from "./status-counts.ts";
import type { ReadStatus } from "./status-reader.ts";
import { signedRevocationTime } from "../domain/certificate/revocation.ts";
import { clockRoomMinutes, stapledAnswerMinutes } from "../domain/lifetimes.ts";
import { ocspWaits } from "../domain/certificate/ocsp-waits.ts";
import { within } from "../runtime/deadline.ts";

export interface Responder {
  /**
   * Returns the OCSP response to an address's request for an issuer. Never rejects: a failure is also returned as a
   * response.
   */
  answer(issuerId: string, request: Buffer, address: string): Promise<OcspAnswer>;
}

export interface ResponderDeps {
  issuers: OcspIssuers;
  identities: Identities;
  readStatus: ReadStatus;
  lastOcsp: Pick<LastOcsp, "note">;
  askers: Pick<StatusAskers, "note">;
  counts: Pick<StatusCounts, "note">;
  clock: ServiceClock;
  onUnexpectedError: (error: unknown) => void;
  /** The responder gives up after this time, because a device is waiting for the client. */
  waitMsMax?: number;
}

/** The address that asks, and when it asks. */
interface Asking {
  address: string;
  at: Date;
}

/**
 * Creates a responder that answers OCSP requests from the database. The issuer's delegated responder signs the answers
 * on demand (RFC 6960); an answer without a nonce may be repeated for half a second.
 */
export function createResponder(deps: ResponderDeps): Responder {
  const { issuers, identities, readStatus, lastOcsp, askers, counts, clock, onUnexpectedError } = deps;
  const { waitMsMax = ocspWaits.responderMs } = deps;
  const cache = createAnswerCache();

  function note(issuerId: string, row: StatusRow, { address, at }: Asking): void {
    lastOcsp.note(row, { address, at });
    // Only a known serial number shows that the address asks on behalf of a device: any client can ask about a number
    // that does not exist.
    if (row.certificateId !== null) askers.note(issuerId, address, at);
  }

  async function rowOf(issuerId: string, { serialNumber }: CertId, asking: Asking): Promise<StatusRow> {
    if (serialNumber === null) return noRow;
    const row = await readStatus({ issuerId, serialNumber });
    note(issuerId, row, asking);
    return row;
  }

  async function find(issuerId: string, request: Buffer, asking: Asking): Promise<OcspAnswer> {
    const { at } = asking;
    const asked = readOcspRequest(request);
    if (asked === undefined) return errorAnswer("malformedRequest");
    const { certIds, nonce } = asked;
    const [first] = certIds;
    const key = nonce === null && certIds.length === 1 && first ? keyOf(issuerId, first) : undefined;
    const kept = key === undefined ? undefined : cache.get(key, at);
    if (kept !== undefined) {
      note(issuerId, kept.row, asking);
      return kept.answer;
    }

    const issuer = await issuers.find(issuerId);
    if (issuer === undefined || !certIds.every((certId) => isIssuerOf(issuer, certId))) {
      return errorAnswer("unauthorized");
    }
    const [identity, rows] = await Promise.all([
      identities.of(issuer),
      Promise.all(certIds.map((certId) => rowOf(issuerId, certId, asking))),
    ]);
    const responses = certIds.map(({ der }, index) => ({ certId: der, certificate: statusIn(rows[index] ?? noRow) }));
    const isAboutDevice = rows.some(({ isServers }) => !isServers);
    const outcome = worst(responses);
    // Unknown numbers are not cached: a certificate with the number may be issued at any moment.
    const keptAs = outcome === "unknown" ? undefined : key;
    const signedAt = new Date(Math.floor(at.getTime() / 1_000) * 1_000);
    const body = sign(identity, {
      responses,
      nonce,
      signedAt,
      validMinutes: isAboutDevice ? clockRoomMinutes : stapledAnswerMinutes,
    });
    if (keptAs === undefined) return { outcome, body, isAboutDevice };
    const answer = { outcome, body, isAboutDevice, signedAt };
    for (const row of rows) cache.set(keptAs, { answer, row }, at);
    return answer;
  }

  return {
    async answer(issuerId, request, address) {
      if (!clock.isInStep()) return errorAnswer("tryLater");
      try {
        const at = clock.now();
        const answer = await within(waitMsMax, find(issuerId, request, { address, at }));
        if (answer === "late") return errorAnswer("tryLater");
        const { outcome, isAboutDevice } = answer;
        if (isAboutDevice && (outcome === "good" || outcome === "revoked")) {
          counts.note(issuerId, address, { outcome, at });
        }
        return answer;
      } catch (error) {
        if (error instanceof DatabaseUnavailable || error instanceof IdentityUnavailable)
          return errorAnswer("tryLater");
        onUnexpectedError(error);
        return errorAnswer("internalError");
      }
    },
  };
}

const keyOf = (issuerId: string, { der }: CertId): string => `${issuerId} ${der.toString("latin1")}`;

const good: CertificateStatus = { status: "good" };
const unknown: CertificateStatus = { status: "unknown" };

/** The row for a serial number that no certificate can have. */
const noRow: StatusRow = {
  certificateId: null,
  isServers: false,
  revokedAt: null,
  revocationReason: null,
  lastOcspAt: null,
  abandonedAt: null,
};

/**
 * Returns the status of a serial number. A number that was never issued is never good; an abandoned number is revoked,
 * as on the CRL.
 */
function statusIn({ certificateId, revokedAt, revocationReason, abandonedAt }: StatusRow): CertificateStatus {
  if (revokedAt !== null)
    return { status: "revoked", at: signedRevocationTime(revokedAt), reason: revocationReason ?? 0 };
  if (abandonedAt !== null) return { status: "revoked", at: signedRevocationTime(abandonedAt), reason: 0 };
  return certificateId === null ? unknown : good;
}

function sign(
  identity: Identity,
  {
    responses,
    nonce,
    signedAt,
    validMinutes,
  }: { responses: readonly SingleResponse[]; nonce: Buffer | null; signedAt: Date; validMinutes: number },
): Buffer {
  // A revocation is never undone, so a certificate that is good now was good at thisUpdate.
  const thisUpdate = new Date(signedAt.getTime() - clockRoomMinutes * 60_000);
  const nextUpdate = new Date(signedAt.getTime() + validMinutes * 60_000);
  const responseData = encodeResponseData({
    responderKeyHash: identity.keyHash,
    producedAt: thisUpdate,
    thisUpdate,
    nextUpdate,
    responses,
    nonce,
  });
  const { certificate } = identity;
  return encodeOcspResponse({ responseData, signature: identity.sign(responseData), certificate });
}

function worst(responses: readonly SingleResponse[]): CertificateStatus["status"] {
  const has = (status: CertificateStatus["status"]): boolean =>
    responses.some(({ certificate }) => certificate.status === status);
  return has("revoked") ? "revoked" : has("unknown") ? "unknown" : "good";
}
