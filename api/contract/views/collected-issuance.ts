import type { Certificate } from "../../../db/queries/certificates/certificates.ts";
import type { IssuanceResult } from "../../../db/queries/issuance/issuances.ts";
import type { CreationOutput } from "../../../domain/certificate-format.ts";

/** An issuance as it stands and, once it is issued, what came of it. */
export interface CollectedIssuance {
  issuance: IssuanceResult;
  certificate: Certificate | undefined;
  /** Undefined when there is none yet, and `erased` when there is none any more. */
  output: CreationOutput | "erased" | undefined;
  /** The name of the realm's RADIUS server. */
  radiusCn: string;
  /** For infrastructure profiles: PEM of the CA that issued the RADIUS server's certificate. */
  radiusCa: string | undefined;
}
