import { z } from "zod";

export const deviceTypes = ["MacOS", "iOS", "iPadOS", "Android", "Windows", "Linux", "ChromeOS", "Other"] as const;

/** Matched case-sensitively, unlike the format. */
export const DeviceType = z.enum(deviceTypes);
export type DeviceType = z.infer<typeof DeviceType>;

export const keyTypes = ["ec-p256", "rsa-2048", "rsa-3072"] as const;
export const KeyType = z.enum(keyTypes);
export type KeyType = z.infer<typeof KeyType>;

/** The key type of each kind of device if neither the request nor the realm sets one. */
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

/** Returns the type of the key to make: the requested one, else the realm's, else the default for the device. */
export const keyTypeFor = (
  { keyType, deviceType }: { keyType?: KeyType | undefined; deviceType: DeviceType },
  realm: { keyTypes: Partial<Record<DeviceType, KeyType>> },
): KeyType => keyType ?? realm.keyTypes[deviceType] ?? defaultKeyType[deviceType];

/** The key type of an infrastructure profile if the request sets none: every RADIUS server accepts it. */
export const infrastructureKeyType = "rsa-2048" satisfies KeyType;
