import { pem } from "../../../pki/pem.ts";
import type { RadiusCa } from "./device-file-content.ts";

/** Returns the CAs of the RADIUS servers as PEM, in their order. */
export const pemOfCas = (cas: readonly RadiusCa[]): string =>
  cas.map(({ certificate }) => pem("CERTIFICATE", Buffer.from(certificate, "base64"))).join("");
