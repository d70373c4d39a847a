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

/** A reason that a person or program can give for a revocation. */
export const RevocationReason = z.literal(Object.values(revocationReasons));

/**
 * Returns the revocation date for CRLs and OCSP answers. The date is backdated like the CRLs and answers: never later
 * than their thisUpdate (RFC 5280 section 5.1.2.6), so a validator whose clock is slow finds the date in the past.
 */
export const signedRevocationTime = (revokedAt: Date): Date =>
  new Date(revokedAt.getTime() - clockRoomMinutes * 60_000);
