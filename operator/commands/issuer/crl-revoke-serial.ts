import { z } from "zod";
import * as lostCertificates from "../../../db/operations/lost-certificates.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import { IssuerID } from "../../../domain/ids.ts";
import { revocationReasons, RevocationReason } from "../../../domain/certificate/revocation.ts";
import { option } from "../../../terminal/command.ts";
import { CommandError } from "../../../terminal/failure.ts";
import { command } from "../command.ts";
import { Instant, SerialNumber } from "../inputs.ts";

export const crlRevokeSerial = command({
  name: "crl revoke-serial",
  about: "Revokes certificates by serial number, on the CRL and by OCSP, even if nothing else is known about them.",
  options: {
    issuer: option("number", "the issuing CA, as in `issuer list` and the certificate's OCSP address", IssuerID),
    serial: option(
      "number",
      "decimal or hexadecimal, in any spelling; may be given several times",
      z.array(SerialNumber, "is required").min(1),
      { many: true },
    ),
    notAfter: option("instant", "when an unknown certificate ends; default: when its issuer does", Instant.optional()),
    reason: option(
      "number",
      "CRLReason (RFC 5280 section 5.3.1) of known certificates; default: 0",
      z
        .string()
        .regex(/^\d$/, "must be a CRLReason")
        .transform(Number)
        .pipe(RevocationReason)
        .default(revocationReasons.unspecified),
    ),
  },
  async run({ issuer: issuerId, serial: serialNumbers, notAfter = null, reason }, context) {
    const at = context.clock.now();
    const db = await context.db();
    const realmIds = new Set<string>((await context.realms()).map(({ id }) => id));
    const [issuer] = await issuers.listByIds(db, [issuerId]);
    if (issuer === undefined || !realmIds.has(issuer.realmId)) {
      throw new CommandError("issuer_not_found", `There is no issuer ${issuerId}. \`issuer list\` shows them.`);
    }
    if (issuer.notAfter <= at) {
      throw new CommandError("issuer_ended", `Issuer ${issuerId} ended, and its certificates with it.`);
    }
    const outcomes = await db.transaction(async (tx) => {
      const found: Record<string, lostCertificates.SerialOutcome> = {};
      for (const serialNumber of serialNumbers) {
        if (await lostCertificates.isOfResponder(tx, { issuerId, serialNumber })) {
          throw new CommandError(
            "serial_is_responder",
            `${serialNumber} is an OCSP responder's own; it ends within days by itself. Nothing was changed.`,
          );
        }
        found[serialNumber] = await lostCertificates.revoke(tx, {
          realmId: issuer.realmId,
          issuerId,
          serialNumber,
          notAfter,
          reason,
          at,
        });
      }
      return found;
    });
    return {
      json: { issuerID: issuerId, serials: outcomes },
      text: Object.entries(outcomes)
        .map(([serialNumber, outcome]) => `${serialNumber}: ${outcomeWords[outcome]}`)
        .join("\n"),
    };
  },
});

const outcomeWords = {
  revoked: "revoked",
  listed: "not known here; on the CRL within seconds, and revoked by OCSP",
  unchanged: "was revoked already",
} as const satisfies Record<lostCertificates.SerialOutcome, string>;
