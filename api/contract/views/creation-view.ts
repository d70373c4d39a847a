import { z } from "zod";
import type { Certificate } from "../../../db/queries/certificates/certificates.ts";
import type { CollectedIssuance } from "./collected-issuance.ts";

/** The properties that every creation adds to the profile, with the file, which is shown only once. */
export const CreationView = z.object({
  identity: z.string(),
  radiusCN: z.string(),
  data: z.string().optional(),
  certificate: z.string().optional(),
  privateKey: z.string().optional(),
});
type CreationView = z.infer<typeof CreationView>;

/**
 * Returns the certificate and the output of an issuance; undefined if there is no output yet or the output is erased.
 */
export function creationOf({
  certificate,
  output,
  radiusCn,
}: CollectedIssuance): { certificate: Certificate; creation: CreationView } | undefined {
  if (certificate === undefined || output === undefined || output === "erased") return undefined;
  return { certificate, creation: { identity: certificate.identity, radiusCN: radiusCn, ...output } };
}
