import { X509Certificate } from "node:crypto";
import type { Db } from "../../db/client.ts";
import * as certificates from "../../db/queries/certificates/certificates.ts";
import * as issuers from "../../db/queries/realm/issuers.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import { permittedDomains } from "../../domain/realm.ts";
import type { Context } from "../context/context.ts";
import { constraintsOf, constraintsText, domainsBeyond } from "../issuer/constraints.ts";
import { passes, warns, type Check } from "./check.ts";

const namesMax = 10;

/**
 * Checks that each realm's issuing CA is limited to its purpose and permits the realm's domains, and lists servers'
 * names that are no longer permitted.
 */
export async function checkConstraints(db: Db, context: Context): Promise<Check[]> {
  const checks = await Promise.all(
    (await context.realms()).map(async (realm) => [
      ...(await checkIssuer(db, realm)),
      await checkNames(db, realm, context.clock.now()),
    ]),
  );
  return checks.flat();
}

async function checkIssuer(db: Db, realm: RealmRow): Promise<Check[]> {
  const issuing = (await issuers.list(db, realm.id)).find((issuer) => issuer.issuing);
  // Another check reports a missing issuer.
  if (issuing === undefined) return [];
  const name = `constraints ${realm.name}`;
  const rotate = `\`issuer rotate --realm ${realm.name}\``;
  // Undefined for a certificate without purposes, although the type excludes this.
  const purposes = new X509Certificate(issuing.certificate).keyUsage as string[] | undefined;
  if (purposes === undefined) {
    return [
      warns(
        name,
        "the issuing CA may certify any host, and code: it is from an earlier version",
        `${rotate} creates one that is limited. The certificate of this one stays valid until it ends.`,
      ),
    ];
  }
  const beyond = domainsBeyond(issuing, permittedDomains(realm));
  if (beyond.length > 0) {
    return [warns(name, `the issuing CA does not permit ${beyond.join(", ")}`, `${rotate} creates one that does.`)];
  }
  return [passes(name, constraintsText(constraintsOf(issuing)))];
}

async function checkNames(db: Db, realm: RealmRow, at: Date): Promise<Check> {
  const name = `infrastructure-domains ${realm.name}`;
  const domains = permittedDomains(realm);
  const foreign = await certificates.listServersBeyond(db, { realmId: realm.id, domains, at, limit: namesMax + 1 });
  if (foreign.length === 0) return passes(name, domains.join(", "));
  const shown = foreign.slice(0, namesMax).join(", ");
  return warns(
    name,
    `not in ${domains.join(", ")}: ${shown}${foreign.length > namesMax ? ", …" : ""}`,
    `They stay good and cannot be renewed; \`realm set --realm ${realm.name} --infrastructure-domain DOMAIN\` permits their domains.`,
  );
}
