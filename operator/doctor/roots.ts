import type { Db } from "../../db/client.ts";
import * as rootCrls from "../../db/queries/certificates/root-crls.ts";
import * as issuers from "../../db/queries/realm/issuers.ts";
import { rootCrlPath } from "../../domain/certificate/root-crl.ts";
import { CRLDistributionPointsExtension, X509Certificate } from "../../pki/x509.ts";
import type { Context } from "../context/context.ts";
import { listRoots, rootFingerprintOf } from "../issuer/ceremony-directory.ts";
import { fails, passes, warns, type Check } from "./check.ts";

const rootCrlWarningDays = 60;

/** Reports root keys that are still where they were created. */
export async function checkRoots(context: Context): Promise<Check[]> {
  const directory = context.dataDirectory().ceremony;
  return (await context.realms()).flatMap(({ name }) =>
    listRoots({ directory, realm: name }).length === 0
      ? []
      : [
          warns(
            `root-key ${name}`,
            `the root's key is still in ${directory}`,
            "Move it to two media that are kept offline, and its passphrase elsewhere: see docs/secrets.md.",
          ),
        ],
  );
}

/**
 * Checks that each root has a CRL that remains valid: without one, validators that check the whole chain refuse every
 * profile. A missing or expired CRL is a failure only if an issuing CA's certificate contains the CRL's address:
 * otherwise validators cannot find the CRL.
 */
export async function checkRootCrls(db: Db, context: Context): Promise<Check[]> {
  const at = context.clock.now();
  const current = new Map((await rootCrls.list(db)).map((crl) => [crl.fingerprint, crl]));
  const realms = await context.realms();
  const checks = await Promise.all(
    realms.map(async ({ id, name }) => {
      const publishing = (await issuers.list(db, id)).filter(({ notAfter }) => notAfter > at);
      return [...new Set(publishing.map(rootFingerprintOf))].map((fingerprint) => {
        const isNamed = publishing.some((row) => rootFingerprintOf(row) === fingerprint && namesRootCrl(row));
        return checkRootCrl(current.get(fingerprint), { realm: name, fingerprint, isNamed, at });
      });
    }),
  );
  return checks.flat();
}

function checkRootCrl(
  crl: rootCrls.RootCrlRow | undefined,
  { realm, fingerprint, isNamed, at }: { realm: string; fingerprint: string; isNamed: boolean; at: Date },
): Check {
  const name = `root-crl ${realm} ${fingerprint.slice(0, 16)}`;
  const remedy = `With the root's files: \`root sign-crl --realm ${realm} --root-key FILE --root-certificate FILE\`; see docs/replacing-cas.md.`;
  const refused = "validators that check the whole chain refuse every profile";
  const lacks = isNamed ? fails : warns;
  if (crl === undefined) return lacks(name, `the root has no CRL: ${refused}`, remedy);
  const until = crl.nextUpdate.toISOString().slice(0, "2027-01-31".length);
  if (crl.nextUpdate <= at) return lacks(name, `the root's CRL ended on ${until}: ${refused}`, remedy);
  if (crl.nextUpdate.getTime() - at.getTime() < rootCrlWarningDays * 86_400_000) {
    return warns(name, `the root's CRL ends on ${until}, in less than ${rootCrlWarningDays} days`, remedy);
  }
  return passes(name, `${crl.entries} entries, until ${until}`);
}

/** Whether an issuing CA's certificate contains the address of its root's CRL (RFC 5280 section 4.2.1.13). */
export function namesRootCrl(issuer: Pick<issuers.IssuerRow, "certificate" | "chain">): boolean {
  const found = new X509Certificate(issuer.certificate).getExtension(CRLDistributionPointsExtension);
  const urls = found?.distributionPoints.flatMap(
    ({ distributionPoint }) => distributionPoint?.fullName?.map((each) => each.uniformResourceIdentifier) ?? [],
  );
  const path = rootCrlPath(rootFingerprintOf(issuer));
  return urls?.some((url) => url?.endsWith(path)) === true;
}
