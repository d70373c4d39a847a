/** What a responder needs in addition to what every server process does. No secret is among it. */
export const responderVariables = [
  "REALMPASS_OCSP_HOST",
  "REALMPASS_OCSP_PORT",
  "REALMPASS_OCSP_URL",
  "REALMPASS_RATE_LIMIT_OCSP",
  "REALMPASS_TRUSTED_PROXIES",
] as const;
