import { encodeOcspError, ocspErrors, type CertificateStatus, type OcspError } from "./ocsp-response.ts";

/** What an answer says: the status of what was asked (the worst of several), or why there is none. */
export type OcspOutcome = CertificateStatus["status"] | OcspError;

export interface OcspAnswer {
  readonly outcome: OcspOutcome;
  /** OCSPResponse, DER. */
  readonly body: Buffer;
  /** Set when the answer is the same for everybody who asks this: it may be kept until then (RFC 5019 section 6). */
  readonly validity?: { readonly thisUpdate: Date; readonly nextUpdate: Date };
}

const errors = new Map<OcspError, OcspAnswer>(
  (Object.keys(ocspErrors) as OcspError[]).map((error) => [error, { outcome: error, body: encodeOcspError(error) }]),
);

/** An answer without a status (RFC 6960 section 2.3). */
export function errorAnswer(error: OcspError): OcspAnswer {
  return errors.get(error) ?? { outcome: error, body: encodeOcspError(error) };
}
