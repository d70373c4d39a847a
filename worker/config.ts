import type { Config } from "../runtime/config.ts";

/** What a worker needs. Neither a token signing key nor a client secret nor the key that opens outputs is among it. */
export const workerVariables = [
  "DATABASE_URL",
  "REDIS_URL",
  "REALMPASS_DATA_DIRECTORY",
  "REALMPASS_LOG_LEVEL",
  "PORT",
  "REALMPASS_BASE_URL",
  "REALMPASS_PUBLICATION_URL",
  "REALMPASS_METRICS_HOST",
  "REALMPASS_METRICS_PORT",
  "REALMPASS_DATABASE_CONNECTIONS",
  "REALMPASS_ISSUER_KEY_PASSPHRASE",
  "REALMPASS_OUTPUT_PUBLIC_KEY",
  "REALMPASS_SIGNING_THREADS",
  "REALMPASS_ISSUANCE_CONCURRENCY",
  "REALMPASS_BULK_CONCURRENCY",
  "REALMPASS_RSA_KEY_POOL",
] as const;

export type WorkerConfig = Config<(typeof workerVariables)[number]>;
