import { createHash, randomUUID } from "node:crypto";
import type { Database } from "../../../db/client.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import * as rootCrls from "../../../db/queries/certificates/root-crls.ts";
import * as issuerKeys from "../../../db/queries/issuer-keys.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import * as users from "../../../db/queries/people/users.ts";
import { sql } from "../../../db/sql.ts";
import { rootCrlPath } from "../../../domain/certificate/root-crl.ts";
import { operatorActor } from "../../../domain/audit/audit.ts";
import { deviceTypes, type DeviceType, type KeyType } from "../../../domain/certificate/device.ts";
import type { NameConstraintsForm } from "../../../domain/certificate/certificate-profile.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { createIssuingCa, createRoot, type CertificateAuthority } from "../../../worker/keys/ceremony.ts";
import { signRootCrl } from "../../../worker/keys/root-crl.ts";
import { fingerprintOf } from "../../../operator/issuer/ceremony-directory.ts";
import { readNameConstraints } from "../../../pki/name-constraints.ts";
import { X509Certificate } from "../../../pki/x509.ts";
import { testKeyCost } from "./hierarchy/test-hierarchy.ts";

/** The passphrase of the test issuers' keys. */
export const testPassphrase = "a passphrase for tests alone";

export interface IssuingRealm {
  realmId: string;
  issuerId: string;
  /** DER. */
  root: Buffer;
  issuer: Buffer;
}

/** Making an RSA key takes a tenth of a second of CPU, a P-256 key next to nothing. */
const quickKeys: Partial<Record<DeviceType, KeyType>> = Object.fromEntries(
  deviceTypes.map((deviceType) => [deviceType, "ec-p256"]),
);

let sequence = 0;
const unique = (): string => `${process.pid}-${++sequence}`;

interface Hierarchy {
  root: CertificateAuthority;
  issuing: CertificateAuthority;
}

/** The hierarchies that tests of this process have made, and how many of them each database uses. */
const hierarchies: Promise<Hierarchy>[] = [];
const taken = new WeakMap<Database, number>();

/**
 * Returns a hierarchy that no other realm of this database has. Deriving keys is most of the cost, so realms of
 * different databases share hierarchies.
 */
function nextHierarchy(owner: Database, special: Special): Promise<Hierarchy> {
  if (Object.keys(special).length > 0) return makeHierarchy(special);
  const next = taken.get(owner) ?? 0;
  taken.set(owner, next + 1);
  return (hierarchies[next] ??= makeHierarchy());
}

/** The properties of a hierarchy that not every realm may share. */
interface Special {
  validityYears?: number;
  /** The URL below which the root's CRL is published; the issuing CA contains the CRL's address. */
  publicationUrl?: string;
  form?: NameConstraintsForm;
}

async function makeHierarchy({ form = "plain", publicationUrl, ...years }: Special = {}): Promise<Hierarchy> {
  const names = {
    organization: `Test ${unique()}`,
    at: systemClock.now(),
    passphrase: testPassphrase,
    cost: testKeyCost,
  };
  const root = await createRoot(names);
  // The domains of every realm that tests make, and of every server.
  const nameConstraints = { form, domains: ["example", "example.org"] };
  const rootUrls =
    publicationUrl === undefined ? {} : { crl: `${publicationUrl}${rootCrlPath(fingerprintOf(root.certificate))}` };
  return { root, issuing: await createIssuingCa({ ...names, ...years, nameConstraints, root, rootUrls }) };
}

/**
 * Makes a realm with a root and an issuing CA that no other realm of its database has. By default, the realm permits
 * the server names in docs/radius and in the console's tests.
 */
export async function givenIssuingRealm(
  owner: Database,
  {
    maxProfiles = 5,
    infrastructureDomains = ["demo.example", "example.org"],
    keyTypes = quickKeys,
    hasKey = true,
    ...special
  }: {
    maxProfiles?: number;
    infrastructureDomains?: string[];
    /**
     * The key type for each type of device; default: types that are quick to make. With `{}`, as in a new realm, each
     * device gets the type that suits it.
     */
    keyTypes?: Partial<Record<DeviceType, KeyType>>;
    /** False: the key of the issuing CA is missing from the beginning, so no running worker has read it. */
    hasKey?: boolean;
  } & Special = {},
): Promise<IssuingRealm> {
  const at = systemClock.now();
  const name = `realm-${unique()}`;
  const { root, issuing } = await nextHierarchy(owner, special);
  const parsed = new X509Certificate(issuing.certificate);
  return owner.transaction(async (tx) => {
    const { id } = await realms.create(tx, {
      name,
      displayName: name,
      domain: `${name}.example`,
      localSignIn: false,
      at,
    });
    await realms.update(tx, id, { maxProfiles, infrastructureDomains });
    await tx.query(sql`update realms set key_types = ${JSON.stringify(keyTypes)}::jsonb where id = ${id}`);
    const issuer = await issuerKeys.create(tx, {
      realmId: id,
      certificate: issuing.certificate,
      chain: [root.certificate],
      fingerprint: createHash("sha256").update(issuing.certificate).digest(),
      subject: parsed.subject,
      notBefore: parsed.notBefore,
      notAfter: parsed.notAfter,
      permittedDomains: readNameConstraints(issuing.certificate)?.permittedDomains ?? null,
      encryptedKey: issuing.encryptedKey,
      at,
    });
    if (!hasKey) await tx.query(sql`delete from issuer_keys where issuer_id = ${issuer.id}`);
    if (special.publicationUrl !== undefined) {
      await rootCrls.publish(tx, await signRootCrl({ root, passphrase: testPassphrase, before: undefined, at }));
    }
    return { realmId: id, issuerId: issuer.id, root: root.certificate, issuer: issuing.certificate };
  });
}

/** Makes a user of the realm. */
export const givenUser = (owner: Database, realmId: string): Promise<string> =>
  users.create(owner, {
    realmId,
    pairwiseId: `user-${unique()}`,
    email: "",
    roles: [],
    at: systemClock.now(),
  });

/** Makes an issuance as the API writes it, not yet in any queue. */
export async function givenIssuance(
  owner: Database,
  { realmId, userId, ...rest }: { realmId: string; userId: string } & Partial<issuances.NewIssuance>,
): Promise<string> {
  const id = rest.id ?? randomUUID();
  await issuances.create(owner, {
    kind: "user",
    guestAccountId: null,
    name: "laptop",
    description: null,
    deviceType: "Linux",
    format: "pkcs12",
    keyType: "ec-p256",
    csr: null,
    authable: false,
    validityMonths: 12,
    at: systemClock.now(),
    actor: operatorActor,
    requestId: randomUUID(),
    ...rest,
    id,
    realmId,
    userId,
  });
  return id;
}
