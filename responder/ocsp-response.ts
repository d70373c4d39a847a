import { bitString, context, contextConstructed, octetString, oid, sequence, tag, tlv } from "../pki/der.ts";
import { signatureAlgorithms } from "../pki/algorithms.ts";
import { BoundedMap } from "../runtime/bounded-map.ts";

/** Status codes of an OCSPResponse without a response (RFC 6960 section 4.2.1). */
export const ocspErrors = { malformedRequest: 1, internalError: 2, tryLater: 3, unauthorized: 6 } as const;
export type OcspError = keyof typeof ocspErrors;

/** Encodes an OCSPResponse without a response; it is not signed (RFC 6960 section 2.3). */
export const encodeOcspError = (error: OcspError): Buffer =>
  sequence(tlv(tag.enumerated, Buffer.from([ocspErrors[error]])));

/** The status of one certificate. A reason of 0 (unspecified) is left out. */
export type CertificateStatus =
  { status: "good" } | { status: "unknown" } | { status: "revoked"; at: Date; reason: number };

export interface SingleResponse {
  /** As in the request, DER. */
  certId: Uint8Array;
  certificate: CertificateStatus;
}

export interface ResponseData {
  /** SHA-1 of the responder's public key. */
  responderKeyHash: Uint8Array;
  producedAt: Date;
  thisUpdate: Date;
  nextUpdate: Date;
  responses: readonly SingleResponse[];
  nonce: Uint8Array | null;
}

/** Encodes the ResponseData of a basic response (RFC 6960 section 4.2.1), DER: the responder's key signs it. */
export function encodeResponseData(data: ResponseData): Buffer {
  const thisUpdate = timeOfAnswers(data.thisUpdate);
  const nextUpdate = tlv(contextConstructed(0), timeOfAnswers(data.nextUpdate));
  const responses = data.responses.map(({ certId, certificate }) =>
    sequence(certId, encodeStatus(certificate), thisUpdate, nextUpdate),
  );
  return sequence(
    tlv(contextConstructed(2), octetString(data.responderKeyHash)),
    timeOfAnswers(data.producedAt),
    sequence(...responses),
    ...(data.nonce === null ? [] : [encodeNonce(data.nonce)]),
  );
}

/** Encodes the OCSPResponse (RFC 6960 section 4.2.1), DER, with the certificate that verifies its signature. */
export function encodeOcspResponse({
  responseData,
  signature,
  certificate,
}: {
  responseData: Uint8Array;
  /** With ECDSA and SHA-256. */
  signature: Uint8Array;
  certificate: Uint8Array;
}): Buffer {
  const basic = sequence(
    responseData,
    signatureAlgorithms["ecdsa-with-SHA256"].identifier,
    bitString(signature),
    tlv(contextConstructed(0), sequence(certificate)),
  );
  return sequence(successful, tlv(contextConstructed(0), sequence(basicResponse, octetString(basic))));
}

const successful = tlv(tag.enumerated, Buffer.from([0]));
const basicResponse = oid("1.3.6.1.5.5.7.48.1.1");
const nonceName = oid("1.3.6.1.5.5.7.48.1.2");

const encodeNonce = (nonce: Uint8Array): Buffer =>
  tlv(contextConstructed(1), sequence(sequence(nonceName, octetString(nonce))));

const good = tlv(context(0));
const unknown = tlv(context(2));

function encodeStatus(certificate: CertificateStatus): Buffer {
  switch (certificate.status) {
    case "good":
      return good;
    case "unknown":
      return unknown;
    case "revoked": {
      const { at, reason } = certificate;
      const given = reason === 0 ? [] : [tlv(contextConstructed(0), tlv(tag.enumerated, Buffer.from([reason])))];
      return tlv(contextConstructed(1), generalizedTime(at), ...given);
    }
  }
}

/** Encodes a GeneralizedTime in whole seconds, which RFC 6960 section 4.2.2.1 requires for every year. */
function generalizedTime(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return tlv(tag.generalizedTime, Buffer.from(`${digits}Z`, "latin1"));
}

/** All answers signed within one second contain the same few times, so each is encoded once. */
const encodedTimes = new BoundedMap<number, Buffer>(8);

function timeOfAnswers(at: Date): Buffer {
  let encoded = encodedTimes.get(at.getTime());
  if (encoded === undefined) encodedTimes.set(at.getTime(), (encoded = generalizedTime(at)));
  return encoded;
}
