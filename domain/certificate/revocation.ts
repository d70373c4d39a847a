import { z } from "zod";

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
