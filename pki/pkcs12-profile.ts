import type { DeviceFileFormat } from "../domain/certificate/format.ts";
import type { DeviceType } from "../domain/certificate/device.ts";

/** The form of the PKCS#12 file for one kind of device. */
export interface Pkcs12Profile {
  /** Algorithms that protect the bags and the file's MAC. */
  readonly protection: "3des-sha1" | "aes256-sha256";
  /** The octets for the empty password (RFC 7292 appendix B.1 allows both forms; they derive different keys). */
  readonly emptyPassword: "two-zero-octets" | "zero-length";
  /** Whether the file contains the issuing CA in addition to the leaf. */
  readonly withChain: boolean;
  /**
   * Rounds of key derivation, for the bags and the MAC. The password is empty by contract, or stored next to the file,
   * so more rounds would protect nothing.
   */
  readonly iterations: number;
}

/**
 * Every system in use opens this form, unless its policy refuses 3DES or SHA-1; Windows Server 2016 and older Android
 * cannot read newer forms.
 */
const compatible = {
  protection: "3des-sha1",
  emptyPassword: "two-zero-octets",
  withChain: true,
  iterations: 1,
} as const satisfies Pkcs12Profile;

/** For systems whose policy may refuse 3DES and SHA-1. */
const modern = { ...compatible, protection: "aes256-sha256" } as const satisfies Pkcs12Profile;

/** Leaves out the CA: once it is in the keychain, Apple's devices offer to trust it for HTTPS. */
const appleMobile = { ...compatible, withChain: false } as const satisfies Pkcs12Profile;

/** macOS is reported to read only the zero-length form, iOS and iPadOS only the form with two zero octets. */
const appleDesktop = { ...appleMobile, emptyPassword: "zero-length" } as const satisfies Pkcs12Profile;

const profiles = {
  Linux: modern,
  ChromeOS: modern,
  Windows: compatible,
  Android: compatible,
  Other: compatible,
  iOS: appleMobile,
  iPadOS: appleMobile,
  MacOS: appleDesktop,
} as const satisfies Record<DeviceType, Pkcs12Profile>;

/** Returns the form of the file for a device type; an unknown device counts as `Other`. */
export const pkcs12Profile = (deviceType: DeviceType | null): Pkcs12Profile => profiles[deviceType ?? "Other"];

/** The device files that contain a PKCS#12 file with its own password. */
export type Pkcs12Format = Extract<DeviceFileFormat, "mobileconfig" | "eap-config" | "networkmanager">;

/**
 * Returns the form of the PKCS#12 file inside a device file. The file's password is random, so the two forms of an
 * empty password do not matter. The password is stored next to the file, so more iterations still protect nothing. For
 * Apple's import and the apps of Android, Windows and ChromeOS, only 3DES is certain to work; Linux reads these files
 * through OpenSSL. In a configuration profile CAs have their own payloads. EAP metadata has no other place for the
 * device's own chain, so the issuing CA accompanies the leaf for every kind of device.
 */
export function deviceFilePkcs12Profile(format: Pkcs12Format, deviceType: DeviceType | null): Pkcs12Profile {
  if (format === "mobileconfig") return appleMobile;
  return deviceType === "Linux" ? modern : compatible;
}
