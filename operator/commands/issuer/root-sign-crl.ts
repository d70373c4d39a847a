import { z } from "zod";
import * as auditEntries from "../../../db/queries/audit/audit-entries.ts";
import * as rootCrls from "../../../db/queries/certificates/root-crls.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import { operatorActor } from "../../../domain/audit/audit.ts";
import { SerialNumber } from "../../../domain/ids.ts";
import { option } from "../../../terminal/command.ts";
import { CommandError } from "../../../terminal/failure.ts";
import { fingerprintOf, rootFingerprintOf, serialNumberOf } from "../../issuer/ceremony-directory.ts";
import { rootOptions } from "../../issuer/next-issuer.ts";
import { chooseRoot } from "../../issuer/root-choice.ts";
import type { Context } from "../../context/context.ts";
import { command } from "../command.ts";

export const rootSignCrl = command({
  name: "root sign-crl",
  about:
    "Signs and publishes the next CRL of a realm's root, valid for a year. It keeps the issuing CAs that are revoked.",
  options: {
    revoke: option(
      "serial",
      "the serial number of an issuing CA's certificate, to revoke it; may be given several times",
      z.array(SerialNumber).default([]),
      { many: true },
    ),
    ...rootOptions,
  },
  async run({ revoke, ...given }, context) {
    const at = context.clock.now();
    const realm = await context.realm();
    const db = await context.db();
    const rows = await issuers.list(db, realm.id);
    const expected = [...new Set(rows.map(rootFingerprintOf))];
    const root = chooseRoot({ realm: realm.name, given, expected }, context);
    const fingerprint = fingerprintOf(root.certificate);
    for (const serialNumber of revoke) checkRevoked(rows, { serialNumber, fingerprint }, context);

    // Loaded only here, because X.509 is large: other commands start without it.
    const { signRootCrl } = await import("../../../worker/keys/root-crl.ts");
    const before = await rootCrls.find(db, fingerprint);
    const crl = await signRootCrl({ root, passphrase: await context.rootPassphrases(), before, revoke, at });
    const view = {
      rootFingerprint: fingerprint,
      crlNumber: crl.number,
      nextUpdate: crl.nextUpdate.toISOString(),
      revoked: crl.entries.map(({ serialNumber }) => serialNumber),
    };
    await db.transaction(async (tx) => {
      if (!(await rootCrls.publish(tx, crl))) throw changedMeanwhile();
      await auditEntries.record(tx, {
        realmId: realm.id,
        event: "root_crl_publish",
        actor: operatorActor,
        at,
        properties: view,
      });
    });
    return {
      json: view,
      text: `root ${fingerprint}: CRL ${crl.number} with ${crl.entries.length} entries, until ${view.nextUpdate}`,
    };
  },
});

const changedMeanwhile = (): CommandError =>
  new CommandError(
    "root_crl_changed",
    "Somebody else published a CRL of this root at the same time. Nothing was changed; run the command again.",
  );

/** Refuses to revoke an issuing CA that issues or will issue, or that is under another root. Reports an unknown CA. */
function checkRevoked(
  rows: readonly issuers.IssuerRow[],
  { serialNumber, fingerprint }: { serialNumber: SerialNumber; fingerprint: string },
  { say }: Pick<Context, "say">,
): void {
  const issuer = rows.find(({ certificate }) => serialNumberOf(certificate) === serialNumber);
  if (issuer === undefined) {
    say(`${serialNumber} is not an issuing CA of this realm; the CRL lists it anyway.`);
    return;
  }
  if (issuer.issuing || issuer.prepared) {
    throw new CommandError(
      "issuer_in_use",
      `Issuer ${issuer.id} ${issuer.issuing ? "issues" : "is prepared"}: its profiles would be refused. Rotate to the next one first: \`issuer rotate\`.`,
    );
  }
  if (rootFingerprintOf(issuer) !== fingerprint) {
    throw new CommandError("root_unusable", `Issuer ${issuer.id} is under another root than the given one.`);
  }
}
