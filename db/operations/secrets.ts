import { ConfigError, type Config } from "../../runtime/config/config.ts";
import {
  openDataDirectory,
  secretFiles,
  type DrawnSecret,
  type SecretName,
} from "../../runtime/keys/data-directory.ts";
import type { HeldSecret } from "../../runtime/keys/held-secret.ts";
import type { Variable } from "../../runtime/config/variables.ts";
import type { Database, Db } from "../client.ts";
import * as tokenSigningKeys from "../queries/oauth/token-signing-keys.ts";
import * as installationSecrets from "../queries/secrets/installation-secrets.ts";

/** The part of a configuration that locates secrets. */
export type SecretsConfig = Config<"REALMPASS_DATA_DIRECTORY" | "REALMPASS_GENERATE_SECRETS"> &
  Partial<Readonly<Record<(typeof secretFiles)[SecretName]["variable"], string | undefined>>>;

/** Returns a secret from its variable or its file; undefined when neither exists. */
export const findSecret = (config: SecretsConfig, name: SecretName): string | undefined =>
  config[secretFiles[name].variable] ?? openDataDirectory(config.REALMPASS_DATA_DIRECTORY, [name]).find(name);

/**
 * Reads secrets from their variables or files. Creates a missing secret if the configuration allows it and the
 * installation has no secret of that kind. Throws a ConfigError that names each missing secret.
 */
export async function readSecrets<Name extends DrawnSecret>(
  db: Db,
  config: SecretsConfig,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const faults: string[] = [];
  const values: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const found = findSecret(config, name) ?? (await makeFirst(db, config, name));
    if (found === undefined) faults.push(missing(config, name));
    else values[name] = found;
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values as Record<Name, string>;
}

async function makeFirst(db: Db, config: SecretsConfig, name: DrawnSecret): Promise<string | undefined> {
  if (config.REALMPASS_GENERATE_SECRETS !== "1") return undefined;
  // Nothing in the database depends on the passphrase of roots, whose keys are kept offline.
  if (name !== "rootKeyPassphrase" && !(await installationSecrets.isFirst(db, name))) return undefined;
  return openDataDirectory(config.REALMPASS_DATA_DIRECTORY, [name]).make(name);
}

function missing({ REALMPASS_DATA_DIRECTORY: directory }: SecretsConfig, name: DrawnSecret): string {
  const { variable, file } = secretFiles[name];
  return `${variable}: not set, and ${directory}/${file} is not there; "operator secrets create" makes the secrets of a new installation`;
}

/**
 * Compares secrets with the installation's, and records each secret that is the first of its kind. Returns the
 * variables whose secret differs from the installation's.
 */
export async function compareSecrets(
  db: Database,
  held: readonly HeldSecret[],
  { at }: { at: Date },
): Promise<Variable[]> {
  const mismatches: Variable[] = [];
  for (const secret of held) {
    if (!(await isKnown(db, secret)) && !(await recordFirst(db, secret, at))) mismatches.push(secret.variable);
  }
  return mismatches;
}

/** Returns the variables whose secret the installation does not have; records nothing. */
export async function findMismatches(db: Db, held: readonly HeldSecret[]): Promise<Variable[]> {
  const known = await Promise.all(held.map((secret) => isKnown(db, secret)));
  return held.filter((_, index) => known[index] === false).map(({ variable }) => variable);
}

async function isKnown(db: Db, { kind, checkValues }: HeldSecret): Promise<boolean> {
  const rows = await installationSecrets.list(db);
  return rows.some((row) => row.kind === kind && checkValues.some((value) => value.equals(row.checkValue)));
}

/**
 * Records a secret if it is the first of its kind. Returns false if the installation has another secret of this kind,
 * or if the secret does not open the newest token signing key. Concurrent processes wait for one another.
 */
const recordFirst = (db: Database, secret: HeldSecret, at: Date): Promise<boolean> =>
  db.transaction(async (tx) => {
    await installationSecrets.lock(tx);
    if ((await installationSecrets.list(tx)).some(({ kind }) => kind === secret.kind)) return isKnown(tx, secret);
    if (secret.opens !== undefined) {
      const sealed = await tokenSigningKeys.findNewestSealed(tx);
      if (sealed && !secret.opens(sealed.sealedKey, tokenSigningKeys.keyContext(sealed.kid))) return false;
    }
    await installationSecrets.add(tx, secret, { at });
    return true;
  });

/** Returns the message for a process whose secret differs from its installation's. */
export const mismatchOf = (variable: Variable): string =>
  `${variable}: not the one that this installation has; give this process the same as the others`;
