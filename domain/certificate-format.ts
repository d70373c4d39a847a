import { z } from "zod";

/** What a created profile's file is. Case-insensitive on the wire; `pfx` and `crt` are other names for the same two shapes. */
export const certificateFormats = ["pkcs12", "pfx", "pem", "crt"] as const;
export type CertificateFormat = (typeof certificateFormats)[number];

export type OutputShape = "bundle" | "pair";

/** `bundle`: a base64 PKCS#12 file in `data`. `pair`: PEM in `certificate` and `privateKey`. */
export const outputShape = {
  pkcs12: "bundle",
  pfx: "bundle",
  pem: "pair",
  crt: "pair",
} as const satisfies Record<CertificateFormat, OutputShape>;

/** Reads a format in any letter case. */
export const CertificateFormat = z
  .string()
  .transform((value) => value.toLowerCase())
  .pipe(z.enum(certificateFormats));

/** What the requester receives once: the contents of the file, never kept in readable form. */
export type CreationOutput = { data: string } | { certificate: string; privateKey: string } | { certificate: string };
