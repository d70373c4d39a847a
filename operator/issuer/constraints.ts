import { z } from "zod";
import type { IssuerRow } from "../../db/queries/realm/issuers.ts";
import {
  isWithinDomains,
  nameConstraintsForms,
  type NameConstraintsForm,
} from "../../domain/certificate/certificate-profile.ts";
import { readNameConstraints } from "../../pki/name-constraints.ts";
import { option } from "../../terminal/command.ts";

/** The limits on the names that an issuing CA may certify, as in its certificate. */
export interface Constraints {
  nameConstraints: NameConstraintsForm;
  permittedDomains: string[] | null;
}

export function constraintsOf({ certificate }: Pick<IssuerRow, "certificate">): Constraints {
  const found = readNameConstraints(certificate);
  if (found === null) return { nameConstraints: "none", permittedDomains: null };
  return { nameConstraints: found.critical ? "critical" : "plain", permittedDomains: found.permittedDomains };
}

/** Describes the names that an issuing CA permits. */
export const constraintsText = ({ nameConstraints, permittedDomains }: Constraints): string =>
  permittedDomains === null
    ? "no name constraints"
    : `${nameConstraints} name constraints: ${permittedDomains.join(", ")}`;

/** Returns those of the given domains that an issuing CA does not permit in DNS names. */
export const domainsBeyond = (
  { permittedDomains }: Pick<IssuerRow, "permittedDomains">,
  domains: readonly string[],
): string[] =>
  permittedDomains === null ? [] : domains.filter((domain) => !isWithinDomains(domain, permittedDomains));

/** The option of commands that create an issuing CA. It sets how the CA is limited to the realm's domains. */
export const nameConstraintsOption = option(
  "form",
  "how the CA is limited to the realm's domains: critical, which small devices do not load; plain; none; default: plain",
  z.enum(nameConstraintsForms, { error: `must be one of ${nameConstraintsForms.join(", ")}` }).optional(),
  { choices: nameConstraintsForms },
);
