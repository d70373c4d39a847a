import type { jobs } from "../../domain/jobs/index.ts";
import type { Processor } from "../processor.ts";
import { issueCertificateChunk } from "./issue-certificate-chunk.ts";
import { issueCertificate } from "./issue-certificate.ts";

type ProcessorDeps = Parameters<typeof issueCertificate>[0] & Parameters<typeof issueCertificateChunk>[0];

/** A processor for every job; the compiler says which one is missing. */
export const processors = (deps: ProcessorDeps): Record<keyof typeof jobs, Processor> => ({
  issueCertificate: issueCertificate(deps),
  issueCertificateChunk: issueCertificateChunk(deps),
});
