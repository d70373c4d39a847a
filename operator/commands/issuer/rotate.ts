import type { Db } from "../../../db/client.ts";
import * as crls from "../../../db/queries/certificates/crls.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { RealmRow } from "../../../db/queries/realm/realms.ts";
import type { NameConstraintsForm } from "../../../domain/certificate/certificate-profile.ts";
import { nameConstraintsOption } from "../../issuer/constraints.ts";
import { fingerprintOf } from "../../issuer/ceremony-directory.ts";
import { flag } from "../../../terminal/command.ts";
import { isSet } from "../../../terminal/inputs.ts";
import { command } from "../command.ts";
import type { Context } from "../../context/context.ts";
import { CommandError, usageError } from "../../../terminal/failure.ts";
import { alreadyPrepared, findPrepared, rootOptions, signUnderRoot } from "../../issuer/next-issuer.ts";
import { chooseRoot, type RootChoice } from "../../issuer/root-choice.ts";
import { issuerAnswer } from "../views.ts";

export const issuerRotate = command({
  name: "issuer rotate",
  about:
    "Switches to the next issuing CA: the prepared one, or a new one under the same root. Earlier ones keep publishing.",
  options: {
    prepare: flag("only create it: it publishes CRLs, and issues after the next `issuer rotate`", isSet),
    nameConstraints: nameConstraintsOption,
    ...rootOptions,
  },
  async run({ prepare, nameConstraints, ...given }, context) {
    const realm = await context.realm();
    const rows = await issuers.list(await context.db(), realm.id);
    const prepared = findPrepared(rows, context.clock.now());
    if (prepared !== undefined) {
      if (prepare) throw alreadyPrepared(prepared);
      if (given.rootKey !== undefined || given.rootCertificate !== undefined) {
        throw usageError(`Issuer ${prepared.id} is prepared; it needs no root to start issuing.`);
      }
      if (nameConstraints !== undefined) {
        throw usageError(`Issuer ${prepared.id} is prepared; its constraints are in its certificate.`);
      }
      return issuerAnswer(await startIssuing(prepared, context));
    }
    return issuerAnswer(await makeNext({ realm, rows, given, prepare, nameConstraints }, context));
  },
});

async function startIssuing(prepared: issuers.IssuerRow, context: Context): Promise<issuers.IssuerRow> {
  // Loaded only if a CA changes, because X.509 is large: other commands start without it.
  const { recordIssuerEvent } = await import("../../issuer/new-issuer.ts");
  const db = await context.db();
  return db.transaction(async (tx) => {
    if ((await lockAndFindPrepared(tx, prepared.realmId, context))?.id !== prepared.id) {
      throw new CommandError("issuer_changed", "Somebody else rotated at the same time; see `issuer list`.");
    }
    await requireCrl(tx, prepared, context);
    const issuer = await issuers.startIssuing(tx, prepared);
    await recordIssuerEvent(tx, { issuer, event: "issuer_rotate", at: context.clock.now() });
    return issuer;
  });
}

/**
 * Throws if an issuer has no current CRL: a RADIUS server that checks CRLs would refuse every profile of the issuer.
 */
async function requireCrl(tx: Db, { id }: issuers.IssuerRow, { clock }: Context): Promise<void> {
  const states = await crls.listStates(tx, { at: clock.now() });
  const standing = states.find(({ issuerId }) => issuerId === id)?.standing ?? "missing";
  if (standing !== "missing" && standing !== "stale") return;
  throw new CommandError(
    "crl_missing",
    `Issuer ${id} has ${standing === "missing" ? "no CRL yet" : "a CRL that has ended"}: RADIUS servers would refuse its profiles. A running worker publishes one within seconds; then rotate.`,
  );
}

async function makeNext(
  {
    realm,
    rows,
    given,
    prepare,
    nameConstraints: form = "plain",
  }: {
    realm: RealmRow;
    rows: readonly issuers.IssuerRow[];
    given: RootChoice["given"];
    prepare: boolean;
    nameConstraints: NameConstraintsForm | undefined;
  },
  context: Context,
): Promise<issuers.IssuerRow> {
  const at = context.clock.now();
  const rootCertificate = rows[0]?.chain.at(-1);
  if (rootCertificate === undefined) {
    throw new CommandError(
      "no_issuer",
      `The realm ${realm.name} has no issuer yet; \`issuer create\` creates the first.`,
    );
  }
  const root = chooseRoot({ realm: realm.name, given, expected: [fingerprintOf(rootCertificate)] }, context);
  const signed = await signUnderRoot({ realm, root, form, at }, context);
  const { addIssuer } = await import("../../issuer/new-issuer.ts");
  const db = await context.db();
  return db.transaction(async (tx) => {
    const prepared = await lockAndFindPrepared(tx, realm.id, context);
    if (prepared !== undefined) throw alreadyPrepared(prepared);
    const event = prepare ? "issuer_prepare" : "issuer_rotate";
    return addIssuer(tx, { ...signed, realmId: realm.id, root: root.certificate, event, at });
  });
}

/**
 * Locks the realm, so no other command changes which issuer issues until the transaction ends, and returns the prepared
 * issuer.
 */
async function lockAndFindPrepared(tx: Db, realmId: string, context: Context): Promise<issuers.IssuerRow | undefined> {
  await realms.lock(tx, realmId);
  return findPrepared(await issuers.list(tx, realmId), context.clock.now());
}
