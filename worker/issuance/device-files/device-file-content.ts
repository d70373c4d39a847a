import type { DeviceType } from "../../../domain/certificate/device.ts";

/** A realm's networks as a device file describes them. Survives a structured clone. */
export interface NetworkSettings {
  /** The realm's name for people. */
  displayName: string;
  domain: string;
  ssids: readonly string[];
  /** Whether the file also sets up wired networks. */
  wired: boolean;
  /** The names in the RADIUS servers' certificates, the main one first. */
  radiusNames: readonly string[];
  /** The CAs of the RADIUS servers' certificates: roots first, then the others. */
  radiusCas: readonly RadiusCa[];
  /** Roaming consortiums (Passpoint), the preferred one first: 6 or 10 hexadecimal digits in upper case. */
  rcois: readonly string[];
  help: Help;
  /** How many days before the profile's end apps remind people; a file uses at most a third of the validity. */
  reminderLeadDays: number;
}

/** Contact details for people who need help; empty: none. */
export interface Help {
  mail: string;
  web: string;
  phone: string;
}

export interface RadiusCa {
  /** DER in base64. */
  certificate: string;
  selfSigned: boolean;
}

/** Everything that a device file contains. */
export interface DeviceFileContent {
  network: NetworkSettings;
  deviceType: DeviceType | null;
  identity: string;
  friendlyName: string;
  notBefore: Date;
  notAfter: Date;
  /** The issuing CA of the profile and any CAs between it and the root, DER; never the root. */
  chain: readonly Uint8Array[];
  pkcs12: Buffer;
  /** The password of `pkcs12`. It is stored nowhere else. */
  password: string;
}
