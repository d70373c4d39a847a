import type { CertificateFormat } from "../../../domain/certificate-format.ts";
import type { DeviceType } from "../../../domain/device.ts";
import { formatsFor } from "../../../domain/offered-formats.ts";

/** Whether a kind of device can do something with a format. */
export const suits = (format: CertificateFormat, deviceType: DeviceType): boolean =>
  formatsFor[deviceType].some((offered) => offered === format);

/** What a kind of device gets: what was asked for if it suits, else what suits it best. */
export const formatFor = (deviceType: DeviceType, wanted: CertificateFormat | null): CertificateFormat =>
  wanted !== null && suits(wanted, deviceType) ? wanted : formatsFor[deviceType][0];
