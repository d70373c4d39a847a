import { Unauthenticated } from "../http/token-errors.ts";
import type { Request } from "express";
import * as certificates from "../../db/queries/certificates/certificates.ts";
import type { Deps } from "./deps.ts";
import type { Principal } from "./principal.ts";
import { presentedCertificate } from "../http/client-certificate/presented-certificate.ts";

/**
 * Throws {@link Unauthenticated} if the token is bound to a certificate (RFC 8705 section 3) and the request presents
 * no certificate or another one. Tokens without a binding pass.
 */
export async function requireBoundCertificate(
  deps: Pick<Deps, "db" | "settings">,
  request: Request,
  principal: Principal,
): Promise<void> {
  if (principal.kind !== "user" || principal.certificateId === null) return;
  const presented = presentedCertificate(deps, request);
  if (
    presented === undefined ||
    !(await certificates.isSame(deps.db, { id: principal.certificateId, der: presented.der }))
  ) {
    throw new Unauthenticated({ given: true });
  }
}
