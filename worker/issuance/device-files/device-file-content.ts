import type { DeviceType } from "../../../domain/certificate/device.ts";

/** A realm's networks as a device file describes them. Survives a structured clone. */
export interface NetworkSettings {
  /** The realm's. */
  displayName: string;
  domain: string;
  ssids: readonly string[];
  /** Whether wired networks are set up as well. */
  wired: boolean;
  /** The name in the RADIUS server's certificate. */
  radiusName: string;
  /** The CAs of the RADIUS server's certificate: the trust anchor first, then the rest of the chain. */
  radiusCas: readonly RadiusCa[];
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
  notAfter: Date;
  /** The issuing CA of the profile and any between it and the root, DER; never the root. */
  chain: readonly Uint8Array[];
  pkcs12: Buffer;
  /** Of `pkcs12`. It is stored nowhere else. */
  password: string;
}
