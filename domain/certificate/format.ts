import { z } from "zod";

/** Files with a certificate and, if this service created the key, the key. */
const bareFormats = ["pkcs12", "pfx", "pem", "crt"] as const;

/** Files that set up a device: the realm's networks, the RADIUS server to trust, and the profile with its key. */
const deviceFileFormats = ["mobileconfig", "eap-config", "onc", "networkmanager", "iwd"] as const;
export type DeviceFileFormat = (typeof deviceFileFormats)[number];

/**
 * The formats of a profile's file, case-insensitive on the wire. `pfx` gives the same file as `pkcs12`, and `crt` the
 * same as `pem`.
 */
export const certificateFormats = [...bareFormats, ...deviceFileFormats] as const;
export type CertificateFormat = (typeof certificateFormats)[number];

export type OutputShape = "bundle" | "pair" | "device-file";

/**
 * `bundle`: a base64 PKCS#12 file in `data`. `pair`: PEM in `certificate` and, if this service created the key, in
 * `privateKey`. `device-file`: the device's file in `data`, base64, which contains the profile and its key.
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

/** Reads a format in any letter case for an infrastructure profile, which needs no network settings. */
export const BareFormat = lowerCase.pipe(z.enum(bareFormats));

/** The contents of the requester's file. They are stored only sealed, and erased after a time. */
export type CreationOutput = { data: string } | { certificate: string; privateKey: string } | { certificate: string };
