import * as issuers from "../../../db/queries/realm/issuers.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { permittedDomains } from "../../../domain/realm.ts";
import type { NameConstraintsForm } from "../../../domain/certificate/certificate-profile.ts";
import { nameConstraintsOption } from "../../issuer/constraints.ts";
import { flag } from "../../../terminal/command.ts";
import { isSet } from "../../../terminal/inputs.ts";
import { command } from "../command.ts";
import type { Context } from "../../context/context.ts";
import { CommandError, usageError } from "../../../terminal/failure.ts";
import { rootAdvice, writeRoot } from "../../issuer/ceremony-directory.ts";
import { alreadyPrepared, findPrepared, rootOptions, signUnderRoot } from "../../issuer/next-issuer.ts";
import { checkPassphrase } from "../../issuer/passphrase.ts";
import { chooseRoot, type RootChoice } from "../../issuer/root-choice.ts";
import { issuerAnswer } from "../views.ts";

export const issuerCreate = command({
  name: "issuer create",
  about:
    "Creates a realm's first issuing CA. With --new-root, creates another root and an issuing CA under it; a realm that has issuers rotates to it.",
  options: {
    nameConstraints: nameConstraintsOption,
    newRoot: flag("create another root, if the old one is lost or its key is in the wrong hands", isSet),
    passphraseLost: flag("with --new-root: the passphrase of the existing issuers is lost as well", isSet),
    ...rootOptions,
  },
  async run({ nameConstraints: form = "plain", newRoot, passphraseLost, ...given }, context) {
    if (!newRoot) {
      if (passphraseLost) throw usageError("--passphrase-lost goes with --new-root.");
      return issuerAnswer(await createFirst({ form, given }, context));
    }
    if (given.rootKey !== undefined || given.rootCertificate !== undefined) {
      throw usageError("--new-root creates a root; --root-key and --root-certificate name an existing one.");
    }
    return issuerAnswer(await createUnderNewRoot({ form, passphraseLost }, context));
  },
});

async function createFirst(
  { form, given }: { form: NameConstraintsForm; given: RootChoice["given"] },
  context: Context,
): Promise<issuers.IssuerRow> {
  const at = context.clock.now();
  const realm = await context.realm();
  const db = await context.db();
  const refuseSecond = (existing: readonly issuers.IssuerRow[]): void => {
    if (existing.length === 0) return;
    throw new CommandError(
      "issuer_exists",
      `The realm ${realm.name} has an issuer; \`issuer rotate\` creates the next one.`,
    );
  };
  refuseSecond(await issuers.list(db, realm.id));

  const root = chooseRoot({ realm: realm.name, given }, context);
  const signed = await signUnderRoot({ realm, root, form, at }, context);
  const { addIssuer } = await import("../../issuer/new-issuer.ts");
  return db.transaction(async (tx) => {
    await realms.lock(tx, realm.id);
    refuseSecond(await issuers.list(tx, realm.id));
    return addIssuer(tx, { ...signed, realmId: realm.id, root: root.certificate, event: "issuer_create", at });
  });
}

/**
 * If the realm already has an issuer, the new issuer is only prepared: it issues after `issuer rotate`, once it has a
 * CRL.
 */
async function createUnderNewRoot(
  { form, passphraseLost }: { form: NameConstraintsForm; passphraseLost: boolean },
  context: Context,
): Promise<issuers.IssuerRow> {
  const at = context.clock.now();
  const realm = await context.realm();
  const db = await context.db();
  const refusePrepared = (rows: readonly issuers.IssuerRow[]): void => {
    const prepared = findPrepared(rows, at);
    if (prepared !== undefined) throw alreadyPrepared(prepared);
  };
  refusePrepared(await issuers.list(db, realm.id));
  const passphrase = await context.passphrase();
  if (!passphraseLost) await checkPassphrase(db, passphrase);
  const { addIssuer } = await import("../../issuer/new-issuer.ts");
  const { createHierarchy } = await import("../../realm/new-realm.ts");
  const { root, ...signed } = await createHierarchy({
    organization: realm.displayName,
    nameConstraints: { form, domains: permittedDomains(realm) },
    passphrase,
    rootPassphrase: await context.rootPassphrase(),
    publicationUrl: context.config.REALMPASS_PUBLICATION_URL,
    cost: context.costs.key,
    at,
  });
  const { issuer, files } = await db.transaction(async (tx) => {
    await realms.lock(tx, realm.id);
    const rows = await issuers.list(tx, realm.id);
    refusePrepared(rows);
    const issuer = await addIssuer(tx, {
      ...signed,
      realmId: realm.id,
      root: root.certificate,
      event: rows.length === 0 ? "issuer_create" : "issuer_prepare",
      at,
    });
    // The root is on disk before the transaction commits anything that depends on it.
    return { issuer, files: writeRoot({ directory: context.dataDirectory().ceremony, realm: realm.name, root }) };
  });
  context.say(rootAdvice(files));
  context.say("Every device needs a new profile: the old ones chain to the old root.");
  return issuer;
}
