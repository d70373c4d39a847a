import { z } from "zod";
import type { IssuerRow } from "../../db/queries/realm/issuers.ts";
import {
  isWithinDomains,
  nameConstraintsForms,
  type NameConstraintsForm,
} from "../../domain/certificate/certificate-profile.ts";
import { readNameConstraints } from "../../pki/name-constraints.ts";
import { option } from "../../terminal/command.ts";

/** How an issuing CA is limited in the names that it may certify, as its certificate says. */
export interface Constraints {
  nameConstraints: NameConstraintsForm;
  permittedDomains: string[] | null;
}

export function constraintsOf({ certificate }: Pick<IssuerRow, "certificate">): Constraints {
  const found = readNameConstraints(certificate);
  if (found === null) return { nameConstraints: "none", permittedDomains: null };
  return { nameConstraints: found.critical ? "critical" : "plain", permittedDomains: found.permittedDomains };
}

/** What an issuing CA permits, in words. */
export const constraintsText = ({ nameConstraints, permittedDomains }: Constraints): string =>
  permittedDomains === null
    ? "no name constraints"
    : `${nameConstraints} name constraints: ${permittedDomains.join(", ")}`;

/** Those of the domains that an issuing CA does not let DNS names be in. */
export const domainsBeyond = (
  { permittedDomains }: Pick<IssuerRow, "permittedDomains">,
  domains: readonly string[],
): string[] =>
  permittedDomains === null ? [] : domains.filter((domain) => !isWithinDomains(domain, permittedDomains));

/** How a command that makes an issuing CA is told to limit it. */
export const nameConstraintsOption = option(
  "form",
  "how the CA is limited to the realm's domains: critical, which small devices do not load; plain; none; default: plain",
  z.enum(nameConstraintsForms, { error: `must be one of ${nameConstraintsForms.join(", ")}` }).optional(),
  { choices: nameConstraintsForms },
);
