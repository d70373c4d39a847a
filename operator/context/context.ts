import { openDatabase, type Database, type DatabaseOptions } from "../../db/client.ts";
import { ownerLogin } from "../../db/guard.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import type { Clock } from "../../runtime/clock.ts";
import { ConfigError, loadConfig, type Config, type Env } from "../../runtime/config/config.ts";
import { expectedVariables } from "../../runtime/config/expected-processes.ts";
import * as secrets from "../../db/operations/secrets.ts";
import { auditPublicKeys } from "../../runtime/keys/audit-key.ts";
import { openDataDirectory, type DataDirectory, type DrawnSecret } from "../../runtime/keys/data-directory.ts";
import { heldMasterKey } from "../../runtime/keys/held-secret.ts";
import { findEmbeddedPostgres } from "../../embedded-postgres/embedded-postgres.ts";
import { masterKeys, type MasterKeys } from "../../runtime/keys/master-key.ts";
import type { KeyCost } from "../../worker/keys/encrypted-key.ts";
import type { PasswordCost } from "../user/password.ts";
import { CommandError, usageError } from "../../terminal/failure.ts";

/** The configuration that commands read; the variables are the same as for the other processes. */
export const operatorVariables = [
  "DATABASE_URL",
  "DATABASE_PASSWORD",
  "REDIS_URL",
  "REDIS_PASSWORD",
  "REALMPASS_DATA_DIRECTORY",
  "REALMPASS_GENERATE_SECRETS",
  "PORT",
  "REALMPASS_BASE_URL",
  "REALMPASS_AUTH_URL",
  "REALMPASS_PUBLICATION_URL",
  "REALMPASS_MASTER_KEY",
  "REALMPASS_ISSUER_KEY_PASSPHRASE",
  "REALMPASS_ROOT_KEY_PASSPHRASE",
  "REALMPASS_AUDIT_KEY",
  "REALMPASS_BACKUP_DIRECTORY",
  ...Object.values(expectedVariables),
] as const;
export type OperatorConfig = Config<(typeof operatorVariables)[number]>;

/** A command's environment; tests replace it. */
export interface OperatorIo {
  env: Env;
  nodeVersion: string;
  clock: Clock;
  writeOut(text: string): void;
  writeError(text: string): void;
  /** Returns all of standard input; on a terminal, asks the question and returns the answer, which is not shown. */
  readSecret(question: string): Promise<string>;
  /** Only tests set these costs. */
  costs?: DerivationCosts;
}

/** The costs of deriving a key from a passphrase and of hashing a password; default: the service's. */
export interface DerivationCosts {
  key?: KeyCost;
  password?: PasswordCost;
}

/** The resources of a command, each opened on first use. */
export interface Context {
  readonly env: Env;
  readonly nodeVersion: string;
  readonly clock: Clock;
  readonly config: OperatorConfig;
  /** The value of `--realm`. */
  readonly realmName: string | undefined;
  /** The data directory, without access to its secrets. */
  dataDirectory(): Pick<DataDirectory, "path" | "ceremony">;
  readonly costs: DerivationCosts;
  /** The passphrase that encrypts issuer keys. */
  passphrase(): Promise<string>;
  /**
   * The passphrase that encrypts keys of new roots. If it is missing, creates it if REALMPASS_GENERATE_SECRETS allows,
   * else throws a ConfigError.
   */
  rootPassphrase(): Promise<string>;
  /**
   * The passphrases that may open a root's key, one per line: the roots' passphrase, then the issuers', which encrypts
   * the keys of earlier roots.
   */
  rootPassphrases(): Promise<string>;
  /**
   * The master keys, which seal long-lived secrets. Throws a ConfigError if the installation has registered other keys.
   */
  masterKeys(): Promise<MasterKeys>;
  /**
   * The configured keys that verify the heads of the audit log's chains, as a JWK Set. Throws a ConfigError if there
   * are none.
   */
  auditKey(): string;
  databaseUrl(): Promise<string>;
  /** The database with the operator's rights. The first call opens it, with these options. */
  db(options?: Pick<DatabaseOptions, "lockSecondsMax">): Promise<Database>;
  /** The realm that the command is for: the named realm, else the only realm. */
  realm(): Promise<RealmRow>;
  /** The realms that the command is for: the named realm, else all realms. */
  realms(): Promise<RealmRow[]>;
  readSecret: OperatorIo["readSecret"];
  /** Writes a message for people, never mixed with the output. */
  say(message: string): void;
  close(): Promise<void>;
}

/** Creates the context from the configuration; throws a ConfigError that lists every fault. */
export function createContext(io: OperatorIo, realmName: string | undefined): Context {
  const config = loadConfig(operatorVariables, io.env);
  let opened: Promise<Database> | undefined;

  const open = async (options: Pick<DatabaseOptions, "lockSecondsMax">): Promise<Database> => {
    const db = openDatabase({
      url: await context.databaseUrl(),
      role: "realmpass_operator",
      connectionsMax: 2,
      applicationName: "realmpass operator",
      ...options,
    });
    // People can use the embedded database of a trial only with its owner's login.
    if (config.DATABASE_URL === undefined) return db;
    const owner = await ownerLogin(db).catch(() => undefined);
    if (owner !== undefined) {
      context.say(`${owner}, and only \`migrate\` needs that: use realmpass_operator_login for all other commands.`);
    }
    return db;
  };

  const secret = async (name: DrawnSecret): Promise<string> =>
    (await secrets.readSecrets(await context.db(), config, [name]))[name];

  const context: Context = {
    env: io.env,
    nodeVersion: io.nodeVersion,
    clock: io.clock,
    config,
    realmName,
    costs: io.costs ?? {},
    dataDirectory: () => openDataDirectory(config.REALMPASS_DATA_DIRECTORY, []),
    passphrase: () => secret("issuerKeyPassphrase"),
    rootPassphrase: () => secret("rootKeyPassphrase"),
    async rootPassphrases() {
      const ofRoots = secrets.findSecret(config, "rootKeyPassphrase");
      const ofIssuers = secrets.findSecret(config, "issuerKeyPassphrase");
      const lines = [ofRoots, ofIssuers].filter((text) => text !== undefined);
      return lines.length > 0 ? lines.join("\n") : context.rootPassphrase();
    },
    async masterKeys() {
      const keys = masterKeys(await secret("masterKey"));
      const mismatches = await secrets.compareSecrets(await context.db(), [heldMasterKey(keys)], {
        at: io.clock.now(),
      });
      if (mismatches.length > 0) throw new ConfigError(mismatches.map(secrets.mismatchOf));
      return keys;
    },
    auditKey() {
      // If all processes share a machine, only the worker's file exists.
      const found = secrets.findSecret(config, "auditPublicKey") ?? secrets.findSecret(config, "auditKey");
      if (found !== undefined) return JSON.stringify({ keys: auditPublicKeys(found) });
      throw new ConfigError([
        `REALMPASS_AUDIT_KEY: not set, and ${config.REALMPASS_DATA_DIRECTORY}/audit-public-key.json is not there; "operator secrets create" creates it`,
      ]);
    },
    databaseUrl: () => findDatabase(config),
    db: (options = {}) => (opened ??= open(options)),
    realm: async () => chooseRealm(await context.db(), realmName),
    realms: async () =>
      realmName === undefined ? realms.list(await context.db()) : [await chooseRealm(await context.db(), realmName)],
    readSecret: (question) => io.readSecret(question),
    say: (message) => {
      io.writeError(`${message}\n`);
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
  return context;
}

async function findDatabase(config: OperatorConfig): Promise<string> {
  if (config.DATABASE_URL !== undefined) return config.DATABASE_URL;
  const embedded = await findEmbeddedPostgres(config.REALMPASS_DATA_DIRECTORY);
  if (embedded !== undefined) return embedded.url;
  throw new CommandError(
    "no_database",
    `There is no database: DATABASE_URL is not set, and the embedded Postgres of the data directory ` +
      `"${config.REALMPASS_DATA_DIRECTORY}" is not running. Set DATABASE_URL, or start Realmpass with \`npm start\`.`,
  );
}

async function chooseRealm(db: Database, name: string | undefined): Promise<RealmRow> {
  const all = await realms.list(db);
  if (all.length === 0) {
    throw new CommandError("no_realm", "There is no realm yet. Create one with `realm create`.");
  }
  const names = all.map((realm) => realm.name).join(", ");
  if (name === undefined && all.length > 1) {
    throw usageError(`There are several realms; name one with --realm: ${names}.`);
  }
  const chosen = name === undefined ? all[0] : all.find((realm) => realm.name === name);
  if (chosen === undefined) {
    throw new CommandError("realm_not_found", `There is no realm "${String(name)}". There is: ${names}.`);
  }
  return chosen;
}
