import { queueVariables } from "../process/config.ts";
import { expectedVariables } from "../runtime/config/expected-processes.ts";
import type { Config } from "../runtime/config/config.ts";

/**
 * The variables of an API process in addition to the common ones (`process/config.ts`). They include neither an issuer
 * key nor its passphrase.
 */
export const apiVariables = [
  ...queueVariables,
  "PORT",
  "REALMPASS_HOST",
  "REALMPASS_BASE_URL",
  "REALMPASS_AUTH_URL",
  "REALMPASS_PUBLICATION_URL",
  "REALMPASS_TRUSTED_PROXIES",
  "REALMPASS_CLIENT_CERTIFICATE_HEADER",
  "REALMPASS_TLS_PORT",
  "REALMPASS_TLS_URL",
  "REALMPASS_TLS_CERTIFICATE",
  "REALMPASS_TLS_KEY",
  "REALMPASS_WAIT_SECONDS",
  ...Object.values(expectedVariables),
  "REALMPASS_RATE_LIMIT_SERVICE",
  "REALMPASS_RATE_LIMIT_USER",
  "REALMPASS_RATE_LIMIT_REFUSED",
  "REALMPASS_RATE_LIMIT_TOKENS",
  "REALMPASS_LOGO_NETWORKS",
  "REALMPASS_UPSTREAM_NETWORKS",
  "REALMPASS_MASTER_KEY",
  "REALMPASS_OUTPUT_PRIVATE_KEY",
] as const;

export type ApiConfig = Config<(typeof apiVariables)[number]>;
