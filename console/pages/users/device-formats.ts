import type { DeviceType } from "../profiles/device-types.ts";

/** The files that a profile can be made as here. */
export type Format = "mobileconfig" | "eap-config" | "pkcs12" | "pem" | "crt";

type Offers = readonly [Format, ...Format[]];

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

/** What a kind of device can do something with, the best first. */
export const formatsFor = (deviceType: DeviceType): Offers => offers[deviceType];
