import type { DeviceType } from "../certificate/device.ts";
import type { OfferedFormat } from "../certificate/offered-formats.ts";

/** The words for a kind of device. */
export interface DeviceWords {
  /** In lists and choices. */
  name: string;
  /** With its article, as it stands behind "by" or "suits". */
  aDevice: string;
  /** A suggested name for a profile of the device. */
  suggestedName: string;
}

/** The words of one language for the closed lists of this folder, in pages, self-service and console alike. */
export interface Vocabulary {
  deviceTypes: Readonly<Record<DeviceType, DeviceWords>>;
  /** Whose device it is, as a suggested name of its profile. */
  nameOf: (device: string, person: string) => string;
  formats: Readonly<Record<OfferedFormat, string>>;
}
