import { z } from "zod";
import type { IssuerRow } from "../../db/queries/realm/issuers.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import type { NameConstraintsForm } from "../../domain/certificate/certificate-profile.ts";
import { permittedDomains } from "../../domain/realm.ts";
import { option } from "../../terminal/command.ts";
import { CommandError } from "../../terminal/failure.ts";
import * as rootCrls from "../../db/queries/certificates/root-crls.ts";
import type { CertificateAuthority } from "../../worker/keys/ceremony.ts";
import type { Context } from "../context/context.ts";
import { fingerprintOf } from "./ceremony-directory.ts";
import type { SignedByRoot } from "./new-issuer.ts";
import { checkPassphrase } from "./passphrase.ts";

/** The options that name the root's files. */
export const rootOptions = {
  rootKey: option("file", "the root's encrypted key; default: from the ceremony directory", z.string().optional()),
  rootCertificate: option("file", "the root's certificate, PEM or DER", z.string().optional()),
};

/** Finds the prepared issuer that has not expired. */
export const findPrepared = (rows: readonly IssuerRow[], at: Date): IssuerRow | undefined =>
  rows.find(({ prepared, notAfter }) => prepared && notAfter > at);

/** Returns the error for a second prepared issuer. */
export const alreadyPrepared = ({ id }: IssuerRow): CommandError =>
  new CommandError("issuer_prepared", `Issuer ${id} is already prepared; after \`issuer rotate\` it issues.`);

/**
 * Lets a root sign an issuing CA for a realm, and encrypts the CA's key under the installation's passphrase. Throws
 * CommandError if the passphrase is not the installation's, or if the root's key and certificate do not belong
 * together.
 */
export async function signUnderRoot(
  { realm, root, form, at }: { realm: RealmRow; root: CertificateAuthority; form: NameConstraintsForm; at: Date },
  context: Context,
): Promise<SignedByRoot> {
  // Imported only here, because the X.509 code is large: other commands start without it.
  const { signIssuingCa } = await import("./new-issuer.ts");
  const passphrase = await context.passphrase();
  const db = await context.db();
  await checkPassphrase(db, passphrase);
  return signIssuingCa({
    root,
    organization: realm.displayName,
    nameConstraints: { form, domains: permittedDomains(realm) },
    passphrase,
    rootPassphrase: await context.rootPassphrases(),
    crlBefore: await rootCrls.find(db, fingerprintOf(root.certificate)),
    publicationUrl: context.config.REALMPASS_PUBLICATION_URL,
    cost: context.costs.key,
    at,
  });
}
