import { z } from "zod";
import type { Certificate } from "../../../db/queries/certificates/certificates.ts";
import type { CollectedIssuance } from "./collected-issuance.ts";
import { CreationView, creationOf } from "./creation-view.ts";
import { Timestamp } from "./timestamp.ts";

export const InfrastructureProfileView = z
  .object({
    serial: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    creationDate: Timestamp,
    expirationDate: Timestamp,
    revokeDate: Timestamp.nullable(),
    lastOcsp: Timestamp.nullable().describe("When its status was last asked for."),
  })
  .meta({ id: "InfrastructureProfile" });
type InfrastructureProfileView = z.infer<typeof InfrastructureProfileView>;

/** An infrastructure profile as its creation returns it, with the file, which is shown only this once. */
export const CreatedInfrastructureProfileView = InfrastructureProfileView.extend(CreationView.shape)
  .extend({ radiusCA: z.string().describe("PEM of the CA that issued the RADIUS server's certificate.") })
  .meta({ id: "CreatedInfrastructureProfile" });
type CreatedInfrastructureProfileView = z.infer<typeof CreatedInfrastructureProfileView>;

/** Returns an infrastructure profile as the API shows it. */
export const infrastructureProfileView = (certificate: Certificate): InfrastructureProfileView => ({
  serial: certificate.serialNumber,
  name: certificate.name,
  description: certificate.description,
  creationDate: certificate.createdAt.toISOString(),
  expirationDate: certificate.notAfter.toISOString(),
  revokeDate: certificate.revokedAt?.toISOString() ?? null,
  lastOcsp: certificate.lastOcspAt?.toISOString() ?? null,
});

/**
 * Returns an infrastructure issuance's profile with its output; undefined if there is no output yet, the output is
 * erased, or the issuance is of another kind.
 */
export function createdInfrastructureProfileView(
  collected: CollectedIssuance,
): CreatedInfrastructureProfileView | undefined {
  const created = creationOf(collected);
  if (created === undefined || collected.radiusCa === undefined) return undefined;
  return { ...infrastructureProfileView(created.certificate), ...created.creation, radiusCA: collected.radiusCa };
}
