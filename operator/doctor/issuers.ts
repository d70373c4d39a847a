import { X509Certificate } from "node:crypto";
import type { Db } from "../../db/client.ts";
import * as secrets from "../../db/operations/secrets.ts";
import * as issuerKeys from "../../db/queries/issuer-keys.ts";
import * as issuers from "../../db/queries/realm/issuers.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import { profileEnd } from "../../domain/certificate/entitlement.ts";
import { openFileSigner } from "../../worker/keys/file-signer.ts";
import type { Context } from "../context/context.ts";
import { describeFailure } from "../context/failure.ts";
import { fails, passes, warns, type Check } from "./check.ts";
import { wayOf } from "../context/way.ts";

const warningDays = 90;

/** Checks that every realm can issue, for how long, and that its keys can be used. */
export async function checkIssuers(db: Db, context: Context): Promise<Check[]> {
  const realms = await context.realms();
  if (realms.length === 0) {
    const first = wayOf(context) === "npm start" ? "`npm start` creates a first one, or " : "";
    return [warns("issuers", "there is no realm yet", `Create one: ${first}\`realm create\`.`)];
  }
  const checks = await Promise.all(realms.map((realm) => checkRealm(db, realm, context)));
  return checks.flat();
}

async function checkRealm(db: Db, realm: RealmRow, context: Context): Promise<Check[]> {
  const at = context.clock.now();
  const rows = await issuers.list(db, realm.id);
  const issuing = rows.find((row) => row.issuing);
  if (issuing === undefined) {
    return [fails(`issuer ${realm.name}`, "the realm has no issuer", `Run \`issuer create --realm ${realm.name}\`.`)];
  }
  // An expired issuer no longer publishes, so its key does not matter.
  const publishing = rows.filter((row) => row.notAfter > at).map(({ id }) => id);
  const withKeys = await issuerKeys.listWithKeys(db, publishing);
  const keys = await Promise.all(publishing.map((id) => checkKey(id, withKeys, realm, context)));
  return [checkEnd(issuing, realm, at), ...keys];
}

function checkEnd({ notAfter }: issuers.IssuerRow, realm: RealmRow, at: Date): Check {
  const name = `issuer ${realm.name}`;
  const until = notAfter.toISOString().slice(0, "2027-01-31".length);
  const remedy = `Run \`issuer rotate --realm ${realm.name}\`.`;
  if (profileEnd({ months: realm.maxValidMonths }, at) > notAfter) {
    return fails(name, `the issuer ends on ${until}, before a profile of ${realm.maxValidMonths} months would`, remedy);
  }
  const days = (notAfter.getTime() - at.getTime()) / 86_400_000;
  if (days < warningDays) return warns(name, `the issuer ends on ${until}, in less than ${warningDays} days`, remedy);
  return passes(name, `issues until ${until}`);
}

async function checkKey(
  id: string,
  withKeys: readonly (issuers.IssuerRow & { encryptedKey: unknown })[],
  realm: RealmRow,
  context: Context,
): Promise<Check> {
  const name = `issuer-key ${realm.name} ${id}`;
  const row = withKeys.find((each) => each.id === id);
  if (row === undefined) {
    return fails(
      name,
      "the issuer's key is missing",
      `Restore the database, or run \`issuer rotate --realm ${realm.name}\`.`,
    );
  }
  // The unit that runs the doctor has no passphrase: only workers, and the operator at a terminal, reach an issuer's
  // key.
  const passphrase = secrets.findSecret(context.config, "issuerKeyPassphrase");
  if (passphrase === undefined) return passes(name, "exists; without the passphrase here, only workers can decrypt it");
  try {
    const { publicKeySpki } = await openFileSigner(row.encryptedKey, passphrase);
    const certified = new X509Certificate(row.certificate).publicKey.export({ format: "der", type: "spki" });
    return certified.equals(publicKeySpki)
      ? passes(name, "decrypts, and matches its certificate")
      : fails(name, "the key does not match its certificate", `Run \`issuer rotate --realm ${realm.name}\`.`);
  } catch (error) {
    return fails(
      name,
      describeFailure(error).message,
      "Set REALMPASS_ISSUER_KEY_PASSPHRASE to the passphrase of the workers.",
    );
  }
}
