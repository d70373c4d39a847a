import { issueCertificateChunk } from "./issue-certificate-chunk.ts";
import { issueCertificate } from "./issue-certificate.ts";

/** Every job there is. */
export const jobs = { issueCertificate, issueCertificateChunk } as const;
