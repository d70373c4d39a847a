import type { KeyObject } from "node:crypto";
import { openDatabase, type Database } from "../../db/client.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import type { Clock } from "../../runtime/clock.ts";
import { loadConfig, type Config, type Env } from "../../runtime/config.ts";
import { openDataDirectory, type DataDirectory } from "../../runtime/data-directory.ts";
import { findEmbeddedPostgres } from "../../embedded-postgres/embedded-postgres.ts";
import { masterKey } from "../../runtime/master-key.ts";
import type { KeyCost } from "../../worker/keys/encrypted-key.ts";
import type { PasswordCost } from "../user/password.ts";
import { CommandError, usageError } from "../../terminal/failure.ts";

/** What commands read of the configuration; the same variables as the other processes. */
export const operatorVariables = [
  "DATABASE_URL",
  "DATABASE_PASSWORD",
  "REDIS_URL",
  "REDIS_PASSWORD",
  "REALMPASS_DATA_DIRECTORY",
  "PORT",
  "REALMPASS_BASE_URL",
  "REALMPASS_AUTH_URL",
  "REALMPASS_MASTER_KEY",
  "REALMPASS_ISSUER_KEY_PASSPHRASE",
  "REALMPASS_AUDIT_KEY",
] as const;
export type OperatorConfig = Config<(typeof operatorVariables)[number]>;

/** The world outside of a command, so that tests can be it. */
export interface OperatorIo {
  env: Env;
  nodeVersion: string;
  clock: Clock;
  writeOut(text: string): void;
  writeError(text: string): void;
  /** Everything on standard input. */
  readInput(): Promise<string>;
  /** Only tests set it. */
  costs?: DerivationCosts;
}

/** How much work deriving from a passphrase and hashing a password is; where one is missing, the default of the service. */
export interface DerivationCosts {
  key?: KeyCost;
  password?: PasswordCost;
}

/** What a command works with. Nothing is opened before it is asked for. */
export interface Context {
  readonly env: Env;
  readonly nodeVersion: string;
  readonly clock: Clock;
  readonly config: OperatorConfig;
  /** What `--realm` said. */
  readonly realmName: string | undefined;
  dataDirectory(): DataDirectory;
  readonly costs: DerivationCosts;
  /** What issuer keys and root keys are encrypted under. */
  passphrase(): string;
  /** What guest tokens are sealed under. */
  masterKey(): KeyObject;
  /** What signs the ends of the audit log's chains, as it is configured. */
  auditKey(): string;
  databaseUrl(): Promise<string>;
  /** The database with the operator's rights. */
  db(): Promise<Database>;
  /** The realm that is meant: the named one, else the only one. */
  realm(): Promise<RealmRow>;
  /** The realms that are meant: the named one, else all. */
  realms(): Promise<RealmRow[]>;
  readInput(): Promise<string>;
  /** A message for people, never mixed with the answer. */
  say(message: string): void;
  close(): Promise<void>;
}

/** Reads the configuration; throws a ConfigError that lists every fault. */
export function createContext(io: OperatorIo, realmName: string | undefined): Context {
  const config = loadConfig(operatorVariables, io.env);
  let opened: Promise<Database> | undefined;

  const open = async (): Promise<Database> =>
    openDatabase({
      url: await context.databaseUrl(),
      role: "realmpass_operator",
      connectionsMax: 2,
      applicationName: "realmpass operator",
    });

  const context: Context = {
    env: io.env,
    nodeVersion: io.nodeVersion,
    clock: io.clock,
    config,
    realmName,
    costs: io.costs ?? {},
    dataDirectory: () => openDataDirectory(config.REALMPASS_DATA_DIRECTORY),
    passphrase: () => config.REALMPASS_ISSUER_KEY_PASSPHRASE ?? context.dataDirectory().secret("issuerKeyPassphrase"),
    masterKey: () => masterKey(config.REALMPASS_MASTER_KEY ?? context.dataDirectory().secret("masterKey")),
    auditKey: () => config.REALMPASS_AUDIT_KEY ?? context.dataDirectory().secret("auditKey"),
    databaseUrl: () => findDatabase(config),
    db: () => (opened ??= open()),
    realm: async () => chooseRealm(await context.db(), realmName),
    realms: async () =>
      realmName === undefined ? realms.list(await context.db()) : [await chooseRealm(await context.db(), realmName)],
    readInput: () => io.readInput(),
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
    throw new CommandError("no_realm", "There is no realm yet. Make one with `realm create`.");
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
