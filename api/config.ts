import type { Config } from "../runtime/config.ts";

/** What an API process needs. Neither an issuer key nor its passphrase is among it. */
export const apiVariables = [
  "DATABASE_URL",
  "REDIS_URL",
  "REALMPASS_DATA_DIRECTORY",
  "REALMPASS_LOG_LEVEL",
  "PORT",
  "REALMPASS_HOST",
  "REALMPASS_BASE_URL",
  "REALMPASS_AUTH_URL",
  "REALMPASS_TRUSTED_PROXIES",
  "REALMPASS_METRICS_HOST",
  "REALMPASS_METRICS_PORT",
  "REALMPASS_DATABASE_CONNECTIONS",
  "REALMPASS_WAIT_SECONDS",
  "REALMPASS_RATE_LIMIT_SERVICE",
  "REALMPASS_RATE_LIMIT_USER",
  "REALMPASS_RATE_LIMIT_REFUSED",
  "REALMPASS_MASTER_KEY",
  "REALMPASS_OUTPUT_PRIVATE_KEY",
] as const;

export type ApiConfig = Config<(typeof apiVariables)[number]>;
