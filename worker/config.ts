import { queueVariables } from "../process/config.ts";

/**
 * The worker's variables, in addition to the common ones (`process/config.ts`). The token signing key, client secrets
 * and the key that opens outputs are not among them.
 */
export const workerVariables = [
  ...queueVariables,
  "PORT",
  "REALMPASS_BASE_URL",
  "REALMPASS_PUBLICATION_URL",
  "REALMPASS_CRL_VALIDITY_HOURS",
  "REALMPASS_ISSUER_KEY_PASSPHRASE",
  "REALMPASS_OUTPUT_PUBLIC_KEY",
  "REALMPASS_AUDIT_KEY",
  "REALMPASS_PROFILE_SIGNING_CERTIFICATE",
  "REALMPASS_PROFILE_SIGNING_KEY",
  "REALMPASS_SIGNING_THREADS",
  "REALMPASS_ISSUANCE_CONCURRENCY",
  "REALMPASS_BULK_CONCURRENCY",
  "REALMPASS_RSA_KEY_POOL",
  "REALMPASS_BACKUP_DIRECTORY",
] as const;
