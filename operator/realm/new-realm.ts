import { violates, type Db } from "../../db/client.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import type { IssuerRow } from "../../db/queries/realm/issuers.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import { operatorActor } from "../../domain/audit/audit.ts";
import { createRoot, type CertificateAuthority, type IssuingCaRequest } from "../../worker/keys/ceremony.ts";
import type { KeyCost } from "../../worker/keys/encrypted-key.ts";
import { writeRoot, type RootFiles } from "../issuer/ceremony-directory.ts";
import { addIssuer, signIssuingCa, type SignedByRoot } from "../issuer/new-issuer.ts";
import { CommandError } from "../../terminal/failure.ts";

/** A new root of a realm, and the first issuing CA and first CRL that the root signed. */
export interface Hierarchy extends SignedByRoot {
  root: CertificateAuthority;
}

/**
 * Creates a new root for a realm, with its first issuing CA and CRL. Key derivation makes it slow by design, so do not
 * call it in a transaction.
 */
export async function createHierarchy(request: {
  organization: string;
  nameConstraints: IssuingCaRequest["nameConstraints"];
  /** Encrypts the issuing CA's key. */
  passphrase: string;
  /** Encrypts the root's key. */
  rootPassphrase: string;
  /** Where CRLs are published; undefined: unknown. */
  publicationUrl: string | undefined;
  cost?: KeyCost | undefined;
  at: Date;
}): Promise<Hierarchy> {
  const root = await createRoot({ ...request, passphrase: request.rootPassphrase });
  return { root, ...(await signIssuingCa({ ...request, root, crlBefore: undefined })) };
}

/**
 * Creates a realm with its issuer and writes the root into the ceremony directory. Call at the end of a transaction:
 * the root must be on disk before anything that depends on it is committed. The root stays there if the commit fails,
 * because a commit may have succeeded although its response was lost.
 */
export async function addRealm(
  tx: Db,
  {
    hierarchy,
    ceremony,
    at,
    ...realm
  }: {
    name: string;
    domain: string;
    displayName: string;
    localSignIn: boolean;
    hierarchy: Hierarchy;
    /** The ceremony directory. */
    ceremony: string;
    at: Date;
  },
): Promise<{ realm: realms.RealmRow; issuer: IssuerRow; rootFiles: RootFiles }> {
  const created = await realms.create(tx, { ...realm, at }).catch((error: unknown) => {
    if (!violates(error, "realms_name_key")) throw error;
    throw new CommandError("name_taken", `There is a realm "${realm.name}" already.`, { cause: error });
  });
  await auditEntries.record(tx, {
    realmId: created.id,
    event: "realm_create",
    actor: operatorActor,
    at,
    properties: { realmName: created.name, displayName: created.displayName, domain: created.domain },
  });
  const { root, ...signed } = hierarchy;
  const issuer = await addIssuer(tx, {
    ...signed,
    realmId: created.id,
    root: root.certificate,
    event: "issuer_create",
    at,
  });
  return { realm: created, issuer, rootFiles: writeRoot({ directory: ceremony, realm: created.name, root }) };
}
