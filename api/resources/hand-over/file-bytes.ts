import type { CreationOutput } from "../../../domain/certificate/format.ts";

/**
 * Returns a profile's file: the format's own file if it has one, else the certificates, followed by the key if the
 * output contains it.
 */
export const fileBytes = (output: CreationOutput): Buffer =>
  "data" in output
    ? Buffer.from(output.data, "base64")
    : Buffer.from(`${output.certificate}${"privateKey" in output ? output.privateKey : ""}`);
