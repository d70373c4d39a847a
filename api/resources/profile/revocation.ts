import { z } from "zod";
import { RevocationReason } from "../../../domain/certificate/revocation.ts";
import { confirmation } from "./admit-removals.ts";

/** Returns the schema for the body of a request that revokes profiles; `reason` is the default reason. */
export const revocationWith = (reason: RevocationReason) =>
  z.object({ reason: RevocationReason.default(reason).describe("CRLReason (RFC 5280 section 5.3.1).") });

/** Returns the schema for the body of a request that revokes other people's profiles. */
export const revocationOfOthersWith = (reason: RevocationReason) =>
  revocationWith(reason).extend(confirmation.body.shape);
