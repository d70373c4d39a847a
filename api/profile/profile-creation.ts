import { z } from "zod";
import { CertificateFormat } from "../../domain/certificate-format.ts";
import { defaultKeyType, DeviceType, KeyType } from "../../domain/device.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import type { LockedOwner } from "../../db/queries/issuances.ts";

const csrLengthMax = 16_384;

/** What the creation of a profile of any kind takes. */
export const CertificateCreation = z.object({
  format: CertificateFormat.describe("pkcs12, pfx, pem or crt, in any letter case."),
  keyType: KeyType.optional().describe("Omitted: what suits the device type."),
  csr: z
    .string()
    .min(1)
    .max(csrLengthMax)
    .optional()
    .describe("PKCS#10 in PEM, for a key that stays with its owner: the answer then has no private key."),
});

/** The same for a device. */
export const DeviceProfileCreation = CertificateCreation.extend({
  deviceType: DeviceType.describe("Matched case-sensitively."),
});

/** What the creation of a user's profile takes. */
export const ProfileCreation = DeviceProfileCreation.extend({
  allowAuth: z.boolean().default(false).describe("Whether the certificate may be used to sign in to the API."),
});
export type ProfileCreation = z.output<typeof ProfileCreation>;

/** Every way in which the creation of a profile of any kind can fail. */
export const certificateCreationErrors = [
  "no_issuer",
  "issuer_expiring",
  "invalid_csr",
  "key_already_certified",
  "output_erased",
  "issuance_failed",
] as const satisfies readonly ErrorCode[];

/** Every way in which the creation of a user's profile can fail. */
export const profileCreationErrors = [
  "user_not_found",
  "user_offboarded",
  "user_locked",
  "profile_limit_reached",
  ...certificateCreationErrors,
] as const satisfies readonly ErrorCode[];

/** Why an owner gets no further profile now; undefined when nothing stands against it. */
export function objectionTo(
  owner: LockedOwner | undefined,
  at: Date,
):
  | "user_not_found"
  | "user_offboarded"
  | "user_locked"
  | "profile_limit_reached"
  | "no_issuer"
  | "issuer_expiring"
  | undefined {
  if (owner === undefined) return "user_not_found";
  if (owner.offboardedAt !== null) return "user_offboarded";
  if (owner.lockedAt !== null) return "user_locked";
  if (owner.count >= owner.limit) return "profile_limit_reached";
  if (owner.issuerNotAfter === null) return "no_issuer";
  if (addMonths(at, owner.maxValidMonths) > owner.issuerNotAfter) return "issuer_expiring";
  return undefined;
}

/** The key to make: what was asked for, else what the realm, else what we think suits the device. */
export const keyTypeFor = (
  { keyType, deviceType }: Pick<ProfileCreation, "keyType" | "deviceType">,
  realm: Pick<LockedOwner, "keyTypes">,
): KeyType => keyType ?? realm.keyTypes[deviceType] ?? defaultKeyType[deviceType];

/** As Postgres adds months: the same day, or the month's last when it has no such day. */
export function addMonths(at: Date, months: number): Date {
  const moved = new Date(at);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  if (moved.getUTCDate() !== at.getUTCDate()) moved.setUTCDate(0);
  return moved;
}
