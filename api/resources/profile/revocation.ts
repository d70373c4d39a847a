import { z } from "zod";
import { RevocationReason } from "../../../domain/revocation.ts";

/** The body of what revokes profiles. */
export const revocationWith = (reason: RevocationReason) =>
  z.object({ reason: RevocationReason.default(reason).describe("CRLReason (RFC 5280 section 5.3.1).") });
