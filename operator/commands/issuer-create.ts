import { z } from "zod";
import * as issuers from "../../db/queries/realm/issuers.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import { option } from "../../terminal/command.ts";
import { command } from "./command.ts";
import { CommandError } from "../../terminal/failure.ts";
import { checkPassphrase } from "../issuer/passphrase.ts";
import { chooseRoot } from "../issuer/root-choice.ts";
import { issuerLine, issuerView } from "./views.ts";

export const issuerCreate = command({
  name: "issuer create",
  about: "Makes the first issuing CA of a realm that has none.",
  options: {
    rootKey: option("file", "the root's encrypted key; default: from the ceremony directory", z.string().optional()),
    rootCertificate: option("file", "the root's certificate, PEM or DER", z.string().optional()),
  },
  async run(given, context) {
    const at = context.clock.now();
    const realm = await context.realm();
    const db = await context.db();
    const refuseSecond = (existing: readonly issuers.IssuerRow[]): void => {
      if (existing.length === 0) return;
      throw new CommandError(
        "issuer_exists",
        `The realm ${realm.name} has an issuer; \`issuer rotate\` makes the next one.`,
      );
    };
    refuseSecond(await issuers.list(db, realm.id));

    // Loaded only here, as X.509 is large: other commands start without it.
    const { addIssuer, signIssuingCa } = await import("../issuer/new-issuer.ts");
    const root = chooseRoot({ realm: realm.name, given }, context);
    const passphrase = context.passphrase();
    await checkPassphrase(db, passphrase);
    const authority = await signIssuingCa({
      root,
      organization: realm.displayName,
      passphrase,
      cost: context.costs.key,
      at,
    });
    const issuer = await db.transaction(async (tx) => {
      await realms.lock(tx, realm.id);
      refuseSecond(await issuers.list(tx, realm.id));
      return addIssuer(tx, { realmId: realm.id, authority, root: root.certificate, event: "issuer_create", at });
    });
    return { json: issuerView(issuer), text: issuerLine(issuer) };
  },
});
