import { z } from "zod";
import type { Certificate } from "../../../db/queries/certificates/certificates.ts";
import { DeviceType } from "../../../domain/certificate/device.ts";
import { RevocationReason } from "../../../domain/certificate/revocation.ts";
import type { CollectedIssuance } from "./collected-issuance.ts";
import { CreationView, creationOf } from "./creation-view.ts";
import { Timestamp } from "./timestamp.ts";

export const GuestProfileView = z
  .object({
    serial: z.string(),
    deviceType: DeviceType,
    creationDate: Timestamp,
    revokeDate: Timestamp.nullable(),
    revokeReason: RevocationReason.nullable(),
    lastOcsp: Timestamp.nullable().describe(
      "When its status was last asked for; where the realm names its RADIUS servers, by one of them.",
    ),
    accountId: z.string(),
  })
  .meta({ id: "GuestProfile" });
type GuestProfileView = z.infer<typeof GuestProfileView>;

/** A guest's profile as its creation returns it, with the file, which is shown only this once. */
export const CreatedGuestProfileView = GuestProfileView.extend(CreationView.shape).meta({ id: "CreatedGuestProfile" });
type CreatedGuestProfileView = z.infer<typeof CreatedGuestProfileView>;

/** Converts a certificate of the kind `guest` to a profile. */
export const guestProfileView = (certificate: Certificate): GuestProfileView => ({
  serial: certificate.serialNumber,
  deviceType: certificate.deviceType ?? "Other",
  creationDate: certificate.createdAt.toISOString(),
  revokeDate: certificate.revokedAt?.toISOString() ?? null,
  revokeReason: certificate.revocationReason,
  lastOcsp: certificate.lastOcspAt?.toISOString() ?? null,
  accountId: certificate.guestAccountId ?? "",
});

/** Returns an issuance's profile with its output; undefined if there is no output yet or the output is erased. */
export function createdGuestProfileView(collected: CollectedIssuance): CreatedGuestProfileView | undefined {
  const created = creationOf(collected);
  return created && { ...guestProfileView(created.certificate), ...created.creation };
}
