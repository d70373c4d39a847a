import { z } from "zod";
import { text } from "./text.ts";

/** The name of a claim; some providers' are URIs. */
export const ClaimName = z.string().regex(/^[!-<>-~]{1,200}$/, "must be 1 to 200 visible ASCII characters without =");

/** Which claims of a realm's identity provider say what about a person. */
export const UpstreamClaims = z.object({
  /** Omitted: `pairwise_id`, and `sub` for who has none. */
  pairwiseId: ClaimName.optional(),
  /** Omitted: `email`. */
  email: ClaimName.optional(),
  /** Omitted: `name`. */
  displayName: ClaimName.optional(),
  /** Who has this value among those of the claim administers the realm. Omitted: the provider has no say in that. */
  administrator: z.object({ claim: ClaimName, value: text(1, 255) }).optional(),
});
export type UpstreamClaims = z.output<typeof UpstreamClaims>;
