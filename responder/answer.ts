import { encodeOcspError, ocspErrors, type CertificateStatus, type OcspError } from "./ocsp-response.ts";

/** The content of an answer: the certificate's status (the worst of several), or the error. */
export type OcspOutcome = CertificateStatus["status"] | OcspError;

export interface OcspAnswer {
  readonly outcome: OcspOutcome;
  /** OCSPResponse, DER. */
  readonly body: Buffer;
  /**
   * When the answer was signed. Set only if the answer is the same for every client, so caches can repeat it for a
   * moment (RFC 5019 section 6).
   */
  readonly signedAt?: Date;
  /** Whether the answer contains the status of a device's certificate. */
  readonly isAboutDevice?: boolean;
}

const errors = new Map<OcspError, OcspAnswer>(
  (Object.keys(ocspErrors) as OcspError[]).map((error) => [error, { outcome: error, body: encodeOcspError(error) }]),
);

/** Returns an answer without a status (RFC 6960 section 2.3). */
export function errorAnswer(error: OcspError): OcspAnswer {
  return errors.get(error) ?? { outcome: error, body: encodeOcspError(error) };
}
