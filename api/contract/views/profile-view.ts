import { z } from "zod";
import type { Certificate } from "../../../db/queries/certificates/certificates.ts";
import { DeviceType } from "../../../domain/certificate/device.ts";
import { RevocationReason } from "../../../domain/certificate/revocation.ts";
import type { CollectedIssuance } from "./collected-issuance.ts";
import { CreationView, creationOf } from "./creation-view.ts";
import { Timestamp } from "./timestamp.ts";

export const ProfileView = z
  .object({
    serial: z.string(),
    name: z.string(),
    revokeReason: RevocationReason.nullable(),
    revokeTime: Timestamp.nullable(),
    creationTime: Timestamp,
    expirationTime: Timestamp,
    authable: z.boolean(),
    lastLogin: Timestamp,
    deviceType: DeviceType,
    owner: z.string(),
  })
  .meta({ id: "Profile" });
export type ProfileView = z.infer<typeof ProfileView>;

/** A user's profile as its creation returns it, with the file, which is shown only this once. */
export const CreatedProfileView = ProfileView.extend(CreationView.shape).meta({ id: "CreatedProfile" });
export type CreatedProfileView = z.infer<typeof CreatedProfileView>;

/** Converts a certificate of the kind `user` to a profile. */
export function profileView(certificate: Certificate): ProfileView {
  const { serialNumber, name, revocationReason, revokedAt, createdAt, notAfter, authable, deviceType, userId } =
    certificate;
  return {
    serial: serialNumber,
    name,
    revokeReason: revocationReason,
    revokeTime: revokedAt?.toISOString() ?? null,
    creationTime: createdAt.toISOString(),
    expirationTime: notAfter.toISOString(),
    authable,
    // A placeholder required by the specification: not the certificate's last use.
    lastLogin: createdAt.toISOString(),
    deviceType: deviceType ?? "Other",
    owner: userId ?? "",
  };
}

/** Returns an issuance's profile with its output; undefined if there is no output yet or the output is erased. */
export function createdProfileView(collected: CollectedIssuance): CreatedProfileView | undefined {
  const created = creationOf(collected);
  return created && { ...profileView(created.certificate), ...created.creation };
}
