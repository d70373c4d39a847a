/** The responder's variables, in addition to the common ones (`process/config.ts`). They contain no secret. */
export const responderVariables = [
  "REALMPASS_OCSP_HOST",
  "REALMPASS_OCSP_PORT",
  "REALMPASS_OCSP_URL",
  "REALMPASS_RATE_LIMIT_OCSP",
  "REALMPASS_TRUSTED_PROXIES",
] as const;
