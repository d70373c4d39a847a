import type { CreationOutput } from "../../../domain/certificate/format.ts";

/** Returns a profile's file: a file of its own, or the certificates followed by the key. */
export const fileBytes = (output: CreationOutput): Buffer =>
  "data" in output
    ? Buffer.from(output.data, "base64")
    : Buffer.from(`${output.certificate}${"privateKey" in output ? output.privateKey : ""}`);
