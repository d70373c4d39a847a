import type { DeviceType } from "../certificate/device.ts";
import type { OfferedFormat } from "../certificate/offered-formats.ts";

/** The words for a kind of device, in one language. */
export interface DeviceWords {
  /** The name in lists and choices. */
  name: string;
  /** The name with its article, as used after "by" or "suits". */
  aDevice: string;
  /** A suggested name for a profile of the device. */
  suggestedName: string;
}

/** The words of one language that pages, self-service and console share. */
export interface Vocabulary {
  deviceTypes: Readonly<Record<DeviceType, DeviceWords>>;
  /** A suggested profile name that states whose device it is. */
  nameOf: (device: string, person: string) => string;
  formats: Readonly<Record<OfferedFormat, string>>;
  profile: {
    nameHint: string;
    wrongName: string;
    validUntil: (date: string) => string;
    lastSeen: (time: string) => string;
    notSeen: string;
  };
  /** Why a realm cannot issue to anybody at present, and what to do. */
  notIssuing: Readonly<Record<"no_issuer" | "issuer_expiring", { title: string; text: string }>>;
}
