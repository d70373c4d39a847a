import { z } from "zod";
import { BareFormat, CertificateFormat, isDeviceFile } from "../../../domain/certificate/format.ts";
import { canUse, DeviceType, KeyType } from "../../../domain/certificate/device.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import { csrLengthMax } from "../../../domain/limits.ts";

/** The properties that the bodies for creating any kind of profile share. */
export const CertificateCreation = z.object({
  format: BareFormat.describe("pkcs12, pfx, pem or crt, in any letter case."),
  keyType: KeyType.optional().describe("Omitted: the type for the device, RSA for `iwd`."),
  csr: z
    .string()
    .min(1)
    .max(csrLengthMax)
    .optional()
    .describe("PKCS#10 in PEM, for a key that stays with its owner: the answer then has no private key."),
});

const DeviceFields = CertificateCreation.extend({
  format: CertificateFormat.describe(
    "pkcs12, pfx, pem, crt, mobileconfig, eap-config, onc, networkmanager or iwd, in any letter case.",
  ),
  deviceType: DeviceType.describe("Matched case-sensitively."),
});

/** Returns false for a device file from a CSR: the file contains the private key, so the worker must make the key. */
const hasKeyToWrite = ({ format, csr }: Pick<z.output<typeof DeviceFields>, "format" | "csr">): boolean =>
  csr === undefined || !isDeviceFile(format);
const hasUsableKey = ({ format, keyType }: Pick<z.output<typeof DeviceFields>, "format" | "keyType">): boolean =>
  keyType === undefined || canUse(format, keyType);
const unusableKey = { path: ["keyType"], error: "is none that programs of this format can use: it must be RSA" };
const noKeyToWrite = { path: ["csr"], error: "cannot be combined with a format that contains the private key" };

/** The body for creating a profile for one device. */
export const DeviceProfileCreation = DeviceFields.refine(hasKeyToWrite, noKeyToWrite).refine(hasUsableKey, unusableKey);

/** The body for creating a user's profile. */
export const ProfileCreation = DeviceFields.extend({
  allowAuth: z
    .boolean()
    .default(false)
    .describe(
      "Whether the certificate may be used to sign in to the API. For somebody else: only with every scope that the " +
        "owner's roles have; through a person's token: only with all that is everybody's own.",
    ),
})
  .refine(hasKeyToWrite, noKeyToWrite)
  .refine(hasUsableKey, unusableKey);
export type ProfileCreation = z.output<typeof ProfileCreation>;

/** The errors that the creation of any kind of profile can have. */
export const certificateCreationErrors = [
  "no_issuer",
  "issuer_expiring",
  "invalid_csr",
  "key_already_certified",
  "output_erased",
  "issuance_failed",
] as const satisfies readonly ErrorCode[];

/** All errors of creating a user's profile. */
export const profileCreationErrors = [
  "user_not_found",
  "user_offboarded",
  "user_locked",
  "profile_limit_reached",
  ...certificateCreationErrors,
] as const satisfies readonly ErrorCode[];
