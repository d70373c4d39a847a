import { z } from "zod";
import { clockRoomMinutes } from "../lifetimes.ts";

/** The values of CRLReason (RFC 5280 section 5.3.1) that this service writes. */
export const revocationReasons = {
  unspecified: 0,
  keyCompromise: 1,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
  privilegeWithdrawn: 9,
} as const;
export type RevocationReason = (typeof revocationReasons)[keyof typeof revocationReasons];

/** A reason a person or program may give. */
export const RevocationReason = z.literal(Object.values(revocationReasons));

/**
 * Returns the revocation date that CRLs and OCSP answers contain. It is backdated as they are: never later than their
 * thisUpdate (RFC 5280 section 5.1.2.6), so a validator whose clock is behind finds it in the past.
 */
export const signedRevocationTime = (revokedAt: Date): Date =>
  new Date(revokedAt.getTime() - clockRoomMinutes * 60_000);
