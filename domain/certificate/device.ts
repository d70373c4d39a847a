import { z } from "zod";
import type { CertificateFormat } from "./format.ts";

export const deviceTypes = ["MacOS", "iOS", "iPadOS", "Android", "Windows", "Linux", "ChromeOS", "Other"] as const;

/** A kind of device. Matched case-sensitively, unlike the format of a file. */
export const DeviceType = z.enum(deviceTypes);
export type DeviceType = z.infer<typeof DeviceType>;

export const keyTypes = ["ec-p256", "rsa-2048", "rsa-3072"] as const;
export const KeyType = z.enum(keyTypes);
export type KeyType = z.infer<typeof KeyType>;

/** The key type of each kind of device if neither the request nor the realm sets a key type. */
export const defaultKeyType = {
  MacOS: "ec-p256",
  iOS: "ec-p256",
  iPadOS: "ec-p256",
  Android: "ec-p256",
  Windows: "ec-p256",
  Linux: "ec-p256",
  ChromeOS: "rsa-2048",
  Other: "rsa-2048",
} as const satisfies Record<DeviceType, KeyType>;

/** The key type of formats whose programs cannot use every key: ell, the library of iwd, signs only with RSA. */
export const keyTypeOfFormat: Readonly<Partial<Record<CertificateFormat, KeyType>>> = { iwd: "rsa-2048" };

/** Returns whether the programs that read a format can use a key of this type. */
export const canUse = (format: CertificateFormat, keyType: KeyType): boolean =>
  keyTypeOfFormat[format] === undefined || keyType !== "ec-p256";

interface WantedKey {
  keyType?: KeyType | undefined;
  format: CertificateFormat;
}

/** Returns the key type if the request alone determines it: the requested type, else the type that the format needs. */
export const askedKeyType = ({ keyType, format }: WantedKey): KeyType | undefined => keyType ?? keyTypeOfFormat[format];

/**
 * Returns the type of the key to make: the type that the request determines, else the realm's, else the device's
 * default.
 */
export const keyTypeFor = (
  { deviceType, ...wanted }: WantedKey & { deviceType: DeviceType },
  realm: { keyTypes: Partial<Record<DeviceType, KeyType>> },
): KeyType => askedKeyType(wanted) ?? keyTypeOfDevice(deviceType, realm);

/** Returns the key type for a device if its format allows every type: the realm's, else the default. */
export const keyTypeOfDevice = (
  deviceType: DeviceType,
  realm: { keyTypes: Partial<Record<DeviceType, KeyType>> },
): KeyType => realm.keyTypes[deviceType] ?? defaultKeyType[deviceType];

/** The key type of an infrastructure profile if the request sets no type: every RADIUS server accepts RSA. */
export const infrastructureKeyType = "rsa-2048" satisfies KeyType;
