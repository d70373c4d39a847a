import { randomBytes } from "node:crypto";
import type { DeviceFileFormat } from "../../../domain/certificate/format.ts";
import { encodePkcs12 } from "../../../pki/pkcs12.ts";
import { deviceFilePkcs12Profile, type Pkcs12Format } from "../../../pki/pkcs12-profile.ts";
import { signedData, type FileSigner } from "../../../pki/signed-data.ts";
import type { DeviceFileContent } from "./device-file-content.ts";
import { eapConfig } from "./eap-config.ts";
import { iwd } from "./iwd.ts";
import { mobileconfig } from "./mobileconfig.ts";
import { networkmanager } from "./networkmanager.ts";
import { onc } from "./onc.ts";

export interface DeviceFileInput extends Pick<
  DeviceFileContent,
  "network" | "deviceType" | "identity" | "friendlyName" | "notBefore" | "notAfter" | "chain"
> {
  format: DeviceFileFormat;
  privateKeyPkcs8: Uint8Array;
  certificate: Uint8Array;
  /** Signs files for Apple devices; undefined: they are not signed. */
  signer: FileSigner | undefined;
}

const passwordOctets = 16;

/**
 * Returns the file that sets up a device with its profile. A PKCS#12 in the file has a random password of 128 bits; in
 * `onc` the password is empty, the only one that ChromeOS tries.
 */
export function encodeDeviceFile(input: DeviceFileInput): Buffer {
  switch (input.format) {
    case "mobileconfig": {
      const plist = Buffer.from(mobileconfig(withPkcs12(input, input.format)), "utf8");
      return input.signer === undefined ? plist : signedData(plist, input.signer);
    }
    case "eap-config":
      return Buffer.from(eapConfig(withPkcs12(input, input.format)), "utf8");
    case "networkmanager":
      return Buffer.from(networkmanager(withPkcs12(input, input.format)));
    case "onc":
      return Buffer.from(onc({ ...input, pkcs12: encodePkcs12({ ...input, deviceType: "ChromeOS" }) }), "utf8");
    case "iwd":
      return Buffer.from(iwd(input));
  }
}

function withPkcs12(input: DeviceFileInput, format: Pkcs12Format): DeviceFileContent {
  const password = randomBytes(passwordOctets).toString("base64url");
  const profile = deviceFilePkcs12Profile(format, input.deviceType);
  return { ...input, pkcs12: encodePkcs12({ ...input, protectedBy: { profile, password } }), password };
}
