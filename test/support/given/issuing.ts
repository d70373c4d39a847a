import { createHash, randomUUID } from "node:crypto";
import type { Database } from "../../../db/client.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import * as issuerKeys from "../../../db/queries/issuer-keys.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import * as users from "../../../db/queries/people/users.ts";
import { operatorActor } from "../../../domain/audit.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { createIssuingCa, createRoot, type CertificateAuthority } from "../../../worker/keys/ceremony.ts";
import { X509Certificate } from "../../../pki/x509.ts";

/** What the test issuers' keys are encrypted under. */
export const testPassphrase = "a passphrase for tests alone";
/** The least that a record of a key may cost. */
export const testKeyCost = 16_384 as const;

export interface IssuingRealm {
  realmId: string;
  issuerId: string;
  /** DER. */
  root: Buffer;
  issuer: Buffer;
}

let sequence = 0;
const unique = (): string => `${process.pid}-${++sequence}`;

interface Hierarchy {
  root: CertificateAuthority;
  issuing: CertificateAuthority;
}

/** Hierarchies that tests of this process have made, and how many of them each database has. */
const hierarchies: Promise<Hierarchy>[] = [];
const taken = new WeakMap<Database, number>();

/**
 * A hierarchy that no other realm of this database has. Deriving keys is most of what making one costs, so the realms of
 * different databases have the same ones.
 */
function nextHierarchy(owner: Database, validityYears?: number): Promise<Hierarchy> {
  if (validityYears !== undefined) return makeHierarchy(validityYears);
  const next = taken.get(owner) ?? 0;
  taken.set(owner, next + 1);
  return (hierarchies[next] ??= makeHierarchy());
}

async function makeHierarchy(validityYears?: number): Promise<Hierarchy> {
  const names = {
    organization: `Test ${unique()}`,
    at: systemClock.now(),
    passphrase: testPassphrase,
    cost: testKeyCost,
  };
  const root = await createRoot(names);
  const years = validityYears === undefined ? {} : { validityYears };
  return { root, issuing: await createIssuingCa({ ...names, ...years, root }) };
}

/**
 * A realm with a root and an issuing CA that no other realm of its database has. It permits the names of servers that
 * docs/radius and the tests of the console use.
 */
export async function givenIssuingRealm(
  owner: Database,
  {
    maxProfiles = 5,
    validityYears,
    infrastructureDomains = ["demo.example", "example.org"],
  }: { maxProfiles?: number; validityYears?: number; infrastructureDomains?: string[] } = {},
): Promise<IssuingRealm> {
  const at = systemClock.now();
  const name = `realm-${unique()}`;
  const { root, issuing } = await nextHierarchy(owner, validityYears);
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
    const issuer = await issuerKeys.create(tx, {
      realmId: id,
      certificate: issuing.certificate,
      chain: [root.certificate],
      fingerprint: createHash("sha256").update(issuing.certificate).digest(),
      subject: parsed.subject,
      notBefore: parsed.notBefore,
      notAfter: parsed.notAfter,
      encryptedKey: issuing.encryptedKey,
      at,
    });
    return { realmId: id, issuerId: issuer.id, root: root.certificate, issuer: issuing.certificate };
  });
}

/** A user of the realm. */
export const givenUser = (owner: Database, realmId: string): Promise<string> =>
  users.create(owner, {
    realmId,
    pairwiseId: `user-${unique()}`,
    email: "",
    administrator: false,
    at: systemClock.now(),
  });

/** An issuance as the API writes it, not yet told to any queue. */
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
    ...rest,
    id,
    realmId,
    userId,
  });
  return id;
}
