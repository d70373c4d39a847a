import type { CertificateFormat } from "../../../domain/certificate/format.ts";
import type { DeviceType } from "../../../domain/certificate/device.ts";
import { formatsFor } from "../../../domain/certificate/offered-formats.ts";

/** Returns whether a kind of device can use a format. */
export const suits = (format: CertificateFormat, deviceType: DeviceType): boolean =>
  formatsFor[deviceType].some((offered) => offered === format);

/** Returns the wanted format if the device can use it, else the device's best one. */
export const formatFor = (deviceType: DeviceType, wanted: CertificateFormat | null): CertificateFormat =>
  wanted !== null && suits(wanted, deviceType) ? wanted : formatsFor[deviceType][0];
