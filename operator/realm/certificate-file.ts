import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { CommandError } from "../../terminal/failure.ts";

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM file and nothing else of it; undefined when no file is named. Each has to be a CA's. */
export function readCertificates(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const found = readFileSync(path, "utf8").match(pemCertificate) ?? [];
    const certificates = found.map((pem) => new X509Certificate(pem));
    if (certificates.length > 0 && certificates.every(({ ca }) => ca)) return certificates.map(String).join("");
  } catch (cause) {
    throw new CommandError("unreadable_file", `${path} cannot be read as certificates in PEM.`, { cause });
  }
  throw new CommandError("unreadable_file", `${path} holds no CA certificate in PEM.`);
}
