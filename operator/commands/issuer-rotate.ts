import { z } from "zod";
import * as issuers from "../../db/queries/issuers.ts";
import * as realms from "../../db/queries/realms.ts";
import { fingerprintOf } from "../ceremony-directory.ts";
import { command, option } from "../command.ts";
import { addIssuer, signIssuingCa } from "../new-issuer.ts";
import { OperatorError } from "../operator-error.ts";
import { chooseRoot } from "../root-choice.ts";
import { issuerLine, issuerView } from "../views.ts";

export const issuerRotate = command({
  name: "issuer rotate",
  about: "Makes the next issuing CA under the same root. It issues from now on; earlier ones go on publishing.",
  options: {
    rootKey: option("<file>", "the root's encrypted key; default: from the ceremony directory", z.string().optional()),
    rootCertificate: option("<file>", "the root's certificate, PEM or DER", z.string().optional()),
  },
  async run(given, context) {
    const at = context.clock.now();
    const realm = await context.realm();
    const db = await context.db();
    const [newest] = await issuers.list(db, realm.id);
    const rootCertificate = newest?.chain.at(-1);
    if (rootCertificate === undefined) {
      throw new OperatorError(
        "no_issuer",
        `The realm ${realm.name} has no issuer yet; \`issuer create\` makes the first.`,
      );
    }

    const root = chooseRoot({ realm: realm.name, given, expected: fingerprintOf(rootCertificate) }, context);
    const passphrase = context.passphrase();
    const authority = await signIssuingCa({ root, organization: realm.displayName, passphrase, at });
    const issuer = await db.transaction(async (tx) => {
      await realms.lock(tx, realm.id);
      return addIssuer(tx, { realmId: realm.id, authority, root: root.certificate, event: "issuer_rotate", at });
    });
    return { json: issuerView(issuer), text: issuerLine(issuer) };
  },
});
