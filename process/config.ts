import type { ProcessKind } from "../domain/process.ts";
import { ConfigError, loadConfig, type Config, type Env } from "../runtime/config/config.ts";
import type { Variable } from "../runtime/config/variables.ts";

/** The kinds of server process: each has a Postgres role, and a name in the log and in the list of connections. */
export type ServerName = ProcessKind;

/** Variables of the processes that use the queue: apis and workers. */
export const queueVariables = ["QUEUE_DATABASE_URL", "QUEUE_DATABASE_PASSWORD", "REDIS_URL", "REDIS_PASSWORD"] as const;

/** Variables of every server process. */
export const serverVariables = [
  "DATABASE_URL",
  "DATABASE_PASSWORD",
  "REALMPASS_DATA_DIRECTORY",
  "REALMPASS_GENERATE_SECRETS",
  "REALMPASS_BOUNDARY",
  "REALMPASS_LOG_LEVEL",
  "REALMPASS_METRICS_HOST",
  "REALMPASS_METRICS_PORT",
  "REALMPASS_DATABASE_CONNECTIONS",
] as const;

/** The configuration of a server process, which always needs a database. */
export type ServerConfig = Config<(typeof serverVariables)[number]> &
  Partial<Config<(typeof queueVariables)[number]>> & { readonly DATABASE_URL: string };

const withArticle: Readonly<Record<ServerName, string>> = {
  api: "an api",
  worker: "a worker",
  responder: "a responder",
};

/**
 * Reads the variables of every server process and the given variables. Throws a `ConfigError` if a variable is invalid,
 * or without a database.
 */
export function loadServerConfig<Names extends Variable>(
  name: ServerName,
  variables: readonly Names[],
  env: Env,
): Config<Names> & ServerConfig {
  const config = loadConfig([...serverVariables, ...variables], env);
  if (config.DATABASE_URL === undefined) {
    throw new ConfigError([
      `DATABASE_URL: ${withArticle[name]} needs it; \`npm start\` runs a database and one process of each kind together`,
    ]);
  }
  return config as Config<Names> & ServerConfig;
}
