import type { DeviceType } from "../certificate/device.ts";
import type { OfferedFormat } from "../certificate/offered-formats.ts";

/** What people are told a kind of device is. */
export interface DeviceWords {
  /** In lists and choices. */
  name: string;
  /** With its article, as it stands behind "by" or "suits". */
  aDevice: string;
  /** What a profile for it could be called. */
  suggestedName: string;
}

/** The words of one language for the closed lists of this folder, in pages, self-service and console alike. */
export interface Vocabulary {
  deviceTypes: Readonly<Record<DeviceType, DeviceWords>>;
  formats: Readonly<Record<OfferedFormat, string>>;
}
