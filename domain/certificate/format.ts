import { z } from "zod";

/** Files with a certificate and, if this service created the key, the key. */
const bareFormats = ["pkcs12", "pfx", "pem", "crt"] as const;

/** Files that set a device up: the realm's networks, the RADIUS server to trust there, and the profile with its key. */
const deviceFileFormats = ["mobileconfig", "eap-config", "onc", "networkmanager", "iwd"] as const;
export type DeviceFileFormat = (typeof deviceFileFormats)[number];

/**
 * The formats of a profile's file. Case-insensitive on the wire; `pfx` and `crt` are other names for the same two
 * shapes.
 */
export const certificateFormats = [...bareFormats, ...deviceFileFormats] as const;
export type CertificateFormat = (typeof certificateFormats)[number];

export type OutputShape = "bundle" | "pair" | "device-file";

/**
 * `bundle`: a base64 PKCS#12 file in `data`. `pair`: PEM in `certificate` and `privateKey`. `device-file`: that file in
 * `data`, base64, with the profile and its key inside.
 */
export const outputShape = {
  pkcs12: "bundle",
  pfx: "bundle",
  pem: "pair",
  crt: "pair",
  mobileconfig: "device-file",
  "eap-config": "device-file",
  onc: "device-file",
  networkmanager: "device-file",
  iwd: "device-file",
} as const satisfies Record<CertificateFormat, OutputShape>;

export const isDeviceFile = (format: CertificateFormat): format is DeviceFileFormat =>
  outputShape[format] === "device-file";

const lowerCase = z.string().transform((value) => value.toLowerCase());

/** Reads a format in any letter case. */
export const CertificateFormat = lowerCase.pipe(z.enum(certificateFormats));

/** Reads a format in any letter case for something other than a device: there is no network to set up. */
export const BareFormat = lowerCase.pipe(z.enum(bareFormats));

/** The contents of the file, which the requester receives once and which are never stored in readable form. */
export type CreationOutput = { data: string } | { certificate: string; privateKey: string } | { certificate: string };
