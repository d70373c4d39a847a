import { randomBytes } from "node:crypto";
import type { DeviceFileFormat } from "../../../domain/certificate/format.ts";
import { encodePkcs12 } from "../../../pki/pkcs12.ts";
import { deviceFilePkcs12Profile } from "../../../pki/pkcs12-profile.ts";
import { signedData, type FileSigner } from "../../../pki/signed-data.ts";
import type { DeviceFileContent } from "./device-file-content.ts";
import { eapConfig } from "./eap-config.ts";
import { mobileconfig } from "./mobileconfig.ts";

export interface DeviceFileInput extends Pick<
  DeviceFileContent,
  "network" | "deviceType" | "identity" | "friendlyName" | "notAfter" | "chain"
> {
  format: DeviceFileFormat;
  privateKeyPkcs8: Uint8Array;
  certificate: Uint8Array;
  /** Signs files for Apple devices; undefined: they are not signed. */
  signer: FileSigner | undefined;
}

const passwordOctets = 16;

/** Returns the file that sets up a device with its profile. Its PKCS#12 is under a random password of 128 bits. */
export function encodeDeviceFile(input: DeviceFileInput): Buffer {
  const { format, deviceType, signer } = input;
  const password = randomBytes(passwordOctets).toString("base64url");
  const pkcs12 = encodePkcs12({
    ...input,
    protectedBy: { profile: deviceFilePkcs12Profile(format, deviceType), password },
  });
  const content = { ...input, pkcs12, password };
  switch (format) {
    case "mobileconfig": {
      const plist = Buffer.from(mobileconfig(content), "utf8");
      return signer === undefined ? plist : signedData(plist, signer);
    }
    case "eap-config":
      return Buffer.from(eapConfig(content), "utf8");
  }
}
