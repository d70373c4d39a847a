import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import type { CertificateFormat } from "../../../domain/certificate-format.ts";

/** What a file of each format is called on the way. */
export const fileTypes: Readonly<Record<CertificateFormat, { type: string; ending: string }>> = {
  mobileconfig: { type: "application/x-apple-aspen-config", ending: "mobileconfig" },
  "eap-config": { type: "application/eap-config", ending: "eap-config" },
  pkcs12: { type: "application/x-pkcs12", ending: "p12" },
  pfx: { type: "application/x-pkcs12", ending: "p12" },
  pem: { type: "application/x-pem-file", ending: "pem" },
  crt: { type: "application/x-pem-file", ending: "crt" },
};

export const typeOf = ({ format }: Pick<HandOver, "format">) => fileTypes[format ?? "pkcs12"];

/** A name for the file that every device can store: the profile's, without what is not plain. */
export function fileNameOf({ name, format }: Pick<HandOver, "name" | "format">): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();
  return `${plain === "" ? "profile" : plain}.${typeOf({ format }).ending}`;
}
