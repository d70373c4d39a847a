import { X509Certificate } from "node:crypto";
import { radiusCaLengthMax } from "../domain/realm.ts";

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Returns the certificates of a PEM text, without the text around them, or the fault of the PEM text. Each certificate
 * must be a CA's and unexpired at `at`.
 */
export function readCaCertificates(pem: string, at: Date): { certificates: string } | { fault: string } {
  if (pem.length > radiusCaLengthMax) return { fault: `must have at most ${radiusCaLengthMax} characters` };
  let certificates: X509Certificate[];
  try {
    certificates = (pem.match(pemCertificate) ?? []).map((one) => new X509Certificate(one));
  } catch {
    return { fault: "must be certificates in PEM" };
  }
  if (certificates.length === 0) return { fault: "must have a CA certificate in PEM" };
  if (!certificates.every(({ ca }) => ca)) return { fault: "must have certificates of CAs only" };
  const ended = certificates.map(({ validTo }) => new Date(validTo)).find((end) => end <= at);
  if (ended !== undefined) return { fault: `has a certificate that ended on ${ended.toISOString()}` };
  return { certificates: certificates.map(String).join("") };
}
