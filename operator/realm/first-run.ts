import type { Database } from "../../db/client.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { DataDirectory } from "../../runtime/keys/data-directory.ts";
import type { Log } from "../../runtime/log.ts";
import { rootAdvice } from "../issuer/ceremony-directory.ts";
import { addRealm, createHierarchy } from "./new-realm.ts";
import { addSignInLink } from "../user/new-sign-in-link.ts";
import { addLocalUser, drawPairwiseId } from "../user/new-user.ts";

export interface FirstRunDeps {
  db: Database;
  dataDirectory: Pick<DataDirectory, "ceremony">;
  /** Encrypts the new issuer's key. */
  passphrase: string;
  /** Encrypts the new root's key. */
  rootPassphrase: string;
  clock: Clock;
  authUrl: string;
  /** Where CRLs are published; undefined: unknown. */
  publicationUrl?: string | undefined;
  /** The realm's domain; its first label becomes the realm's name. Undefined: `demo.example`, for a trial. */
  domain?: string | undefined;
  log: Pick<Log, "info" | "warn">;
}

export interface FirstRun {
  realm: string;
  domain: string;
  realmId: string;
  /** Signs the first administrator in once, within 15 minutes. */
  signInUrl: string;
}

/** The domain of the first realm if the operator chose no domain. */
export const trialDomain = "demo.example";

const demo = { name: "demo", domain: trialDomain, displayName: "Demo" };

const realmOf = (domain: string): typeof demo => ({
  name: domain.split(".", 1)[0] ?? domain,
  domain,
  displayName: domain,
});

/**
 * Creates the first realm, with its own root and issuer, an administrator without a password, and a sign-in link, in
 * one transaction. It can be interrupted at any point, run again, and run by several processes at the same time.
 * Returns undefined if a realm already exists.
 */
export async function firstRun(deps: FirstRunDeps): Promise<FirstRun | undefined> {
  const { db, dataDirectory, passphrase, rootPassphrase, clock, authUrl, publicationUrl, domain, log } = deps;
  if ((await realms.list(db)).length > 0) return undefined;
  const at = clock.now();
  const chosen = domain === undefined ? demo : realmOf(domain);
  const hierarchy = await createHierarchy({
    organization: chosen.displayName,
    nameConstraints: { form: "plain", domains: [chosen.domain] },
    passphrase,
    rootPassphrase,
    publicationUrl,
    at,
  });

  const made = await db.transaction(async (tx) => {
    await realms.lockAll(tx);
    if ((await realms.list(tx)).length > 0) return undefined;
    const { realm, rootFiles } = await addRealm(tx, {
      ...chosen,
      localSignIn: true,
      hierarchy,
      ceremony: dataDirectory.ceremony,
      at,
    });
    const userId = await addLocalUser(tx, {
      realm,
      username: "admin",
      pairwiseId: drawPairwiseId(realm),
      email: "",
      roles: ["administrator"],
      passwordHash: null,
      at,
    });
    return { realm, rootFiles, signInUrl: await addSignInLink(tx, { realmId: realm.id, userId, authUrl, at }) };
  });
  if (made === undefined) return undefined;

  log.info({ event: "first_run.realm_created", realm: made.realm.name }, "first realm created");
  log.warn({ event: "first_run.root_key_written", file: made.rootFiles.key }, rootAdvice(made.rootFiles));
  return { realm: made.realm.name, domain: made.realm.domain, realmId: made.realm.id, signInUrl: made.signInUrl };
}
