import { createHash, X509Certificate as NodeCertificate } from "node:crypto";
import type { Db } from "../../db/client.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import * as rootCrls from "../../db/queries/certificates/root-crls.ts";
import * as issuers from "../../db/queries/realm/issuers.ts";
import { rootCrlPath } from "../../domain/certificate/root-crl.ts";
import { operatorActor } from "../../domain/audit/audit.ts";
import { createIssuingCa, type CertificateAuthority, type IssuingCaRequest } from "../../worker/keys/ceremony.ts";
import type { KeyCost } from "../../worker/keys/encrypted-key.ts";
import { signRootCrl, type RootCrl } from "../../worker/keys/root-crl.ts";
import { readNameConstraints } from "../../pki/name-constraints.ts";
import { X509Certificate } from "../../pki/x509.ts";
import { fingerprintOf } from "./ceremony-directory.ts";
import { constraintsOf } from "./constraints.ts";
import { CommandError } from "../../terminal/failure.ts";
import * as issuerKeys from "../../db/queries/issuer-keys.ts";

/** A new issuing CA's certificate and encrypted key, and its root's next CRL. */
export interface SignedByRoot {
  authority: CertificateAuthority;
  rootCrl: RootCrl;
}

/**
 * Creates an issuing CA under a root, and the root's next CRL. The CA's certificate contains the CRL's address if it is
 * known. Checks that the root's key and certificate belong together.
 */
export async function signIssuingCa(request: {
  root: CertificateAuthority;
  organization: string;
  nameConstraints: IssuingCaRequest["nameConstraints"];
  /** Encrypts the new key. */
  passphrase: string;
  /** Opens the root's key. Can contain several passphrases, one per line. */
  rootPassphrase: string;
  /** The root's current CRL; undefined if none has been published. */
  crlBefore: { number: string; der: Uint8Array } | undefined;
  /** Where CRLs are published; undefined: unknown. */
  publicationUrl: string | undefined;
  cost?: KeyCost | undefined;
  at: Date;
}): Promise<SignedByRoot> {
  const { root, rootPassphrase, crlBefore, publicationUrl, at } = request;
  const path = rootCrlPath(fingerprintOf(root.certificate));
  const rootUrls = publicationUrl === undefined ? {} : { crl: `${publicationUrl}${path}` };
  const authority = await createIssuingCa({ ...request, rootUrls });
  if (!new NodeCertificate(authority.certificate).verify(new NodeCertificate(root.certificate).publicKey)) {
    throw new CommandError("root_unusable", "The root's key does not match its certificate.");
  }
  return { authority, rootCrl: await signRootCrl({ root, passphrase: rootPassphrase, before: crlBefore, at }) };
}

/**
 * Adds an issuing CA, which issues from now on or is only prepared, with its audit entry, and publishes its root's CRL.
 * Call in a transaction.
 */
export async function addIssuer(
  tx: Db,
  {
    realmId,
    authority,
    rootCrl,
    root,
    event,
    at,
  }: SignedByRoot & {
    realmId: string;
    root: Uint8Array;
    event: IssuerEvent;
    at: Date;
  },
): Promise<issuers.IssuerRow> {
  const { subject, notBefore, notAfter } = new X509Certificate(authority.certificate);
  const add = event === "issuer_prepare" ? issuerKeys.prepare : issuerKeys.create;
  const issuer = await add(tx, {
    realmId,
    certificate: authority.certificate,
    chain: [Buffer.from(root)],
    fingerprint: createHash("sha256").update(authority.certificate).digest(),
    subject,
    notBefore,
    notAfter,
    permittedDomains: readNameConstraints(authority.certificate)?.permittedDomains ?? null,
    encryptedKey: authority.encryptedKey,
    at,
  });
  // Ignores the result: a CRL that another command published meanwhile serves as well, because this CRL adds no
  // revocation.
  await rootCrls.publish(tx, rootCrl);
  await recordIssuerEvent(tx, { issuer, event, at });
  return issuer;
}

export type IssuerEvent = "issuer_create" | "issuer_prepare" | "issuer_rotate";

/** Records the audit entry for a change of an issuing CA. */
export const recordIssuerEvent = (
  tx: Db,
  { issuer, event, at }: { issuer: issuers.IssuerRow; event: IssuerEvent; at: Date },
): Promise<void> =>
  auditEntries.record(tx, {
    realmId: issuer.realmId,
    event,
    actor: operatorActor,
    at,
    properties: {
      issuerID: issuer.id,
      fingerprint: issuer.fingerprint,
      subject: issuer.subject,
      notAfter: issuer.notAfter,
      constraints: constraintsOf(issuer),
    },
  });
