import type { CertificateFormat } from "./format.ts";
import type { DeviceType } from "./device.ts";

/** The formats that people choose from; programs can request any format. */
export const offeredFormats = [
  "mobileconfig",
  "eap-config",
  "onc",
  "networkmanager",
  "iwd",
  "pkcs12",
  "pem",
  "crt",
] as const satisfies CertificateFormat[];
export type OfferedFormat = (typeof offeredFormats)[number];

type Offers = readonly [OfferedFormat, ...OfferedFormat[]];

const apple: Offers = ["mobileconfig", "pkcs12", "pem"];
const withApp: Offers = ["eap-config", "pkcs12", "pem"];

/** The formats that each kind of device can use, the best first. */
export const formatsFor: Readonly<Record<DeviceType, Offers>> = {
  iOS: apple,
  iPadOS: apple,
  MacOS: apple,
  Android: withApp,
  Windows: withApp,
  ChromeOS: ["eap-config", "onc", "pkcs12", "pem"],
  Linux: ["networkmanager", "eap-config", "iwd", "pem", "pkcs12"],
  Other: ["pkcs12", "pem", "crt"],
};
