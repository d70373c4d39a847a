import type { Certificate } from "../../../db/queries/certificates/certificates.ts";
import type { IssuanceResult } from "../../../db/queries/issuance/issuances.ts";
import type { CreationOutput } from "../../../domain/certificate/format.ts";

/** An issuance and, once issued, its result. */
export interface CollectedIssuance {
  issuance: IssuanceResult;
  certificate: Certificate | undefined;
  /** Undefined if there is no output yet; `erased` once the output is erased. */
  output: CreationOutput | "erased" | undefined;
  /** The name of the realm's RADIUS server. */
  radiusCn: string;
  /** For infrastructure profiles: PEM of the CA that issued the RADIUS server's certificate. */
  radiusCa: string | undefined;
}
