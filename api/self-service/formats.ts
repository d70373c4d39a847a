import type { CertificateFormat } from "../../domain/certificate-format.ts";
import type { DeviceType } from "../../domain/device.ts";

/** The formats that people can choose here. */
export const offeredFormats = ["mobileconfig", "eap-config", "pkcs12", "pem", "crt"] as const;
export type OfferedFormat = (typeof offeredFormats)[number];

type Offers = readonly [OfferedFormat, ...OfferedFormat[]];

const apple: Offers = ["mobileconfig", "pkcs12", "pem"];
const withApp: Offers = ["eap-config", "pkcs12", "pem"];

const offers: Readonly<Record<DeviceType, Offers>> = {
  iOS: apple,
  iPadOS: apple,
  MacOS: apple,
  Android: withApp,
  Windows: withApp,
  ChromeOS: withApp,
  Linux: ["pem", "eap-config", "pkcs12"],
  Other: ["pkcs12", "pem", "crt"],
};

/** Whether a kind of device can do something with a format. */
export const suits = (format: CertificateFormat, deviceType: DeviceType): boolean =>
  offers[deviceType].some((offered) => offered === format);

/** What a kind of device gets: what was asked for if it suits, else what suits it best. */
export const formatFor = (deviceType: DeviceType, wanted: CertificateFormat | null): CertificateFormat =>
  wanted !== null && suits(wanted, deviceType) ? wanted : offers[deviceType][0];
