/** What a realm's devices are told beside their own profile. It survives a structured clone. */
export interface NetworkSettings {
  /** The realm's. */
  displayName: string;
  domain: string;
  ssids: readonly string[];
  /** The name that the RADIUS server's certificate shows. */
  radiusName: string;
  /** Whom the RADIUS server's certificate comes from: what to anchor trust in first, then what completes the chain. */
  radiusCas: readonly RadiusCa[];
}

export interface RadiusCa {
  /** DER in base64. */
  certificate: string;
  selfSigned: boolean;
}

/** Everything that a device file says. */
export interface DeviceFileContent {
  network: NetworkSettings;
  identity: string;
  friendlyName: string;
  notAfter: Date;
  pkcs12: Buffer;
  /** Of `pkcs12`. It is in no other place. */
  password: string;
}
