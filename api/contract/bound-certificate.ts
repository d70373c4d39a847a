import { Unauthenticated } from "../http/token-errors.ts";
import type { Request } from "express";
import * as certificates from "../../db/queries/certificates/certificates.ts";
import type { Deps } from "./deps.ts";
import type { Principal } from "./principal.ts";
import { presentedCertificate } from "../http/client-certificate/presented-certificate.ts";

/**
 * A token that was got with a certificate is good with that certificate alone (RFC 8705 section 3). Throws
 * {@link Unauthenticated} for one that comes without it or with another; other tokens pass as they are.
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
