/** Why an identity provider cannot be set up, or why a test sign-in failed, as a code and in words. */
export const signInChecks = {
  unreachable: "the identity provider does not answer",
  address:
    "its address is not on the public Internet: the operator allows its network with REALMPASS_UPSTREAM_NETWORKS, or sets this identity provider",
  document: "there is no OpenID Connect discovery document below this address",
  issuer: "the discovery document below this address names another issuer",
  keys: "it publishes no key that verifies what it signs",
  open: "anybody can have an account there: it needs a rule about who may use the realm",
  client: "it does not accept the client id or the client secret",
  refused: "it refused the sign-in, or the person ended it",
  answer: "its answer could not be verified",
  identifier: "the claim with the pairwise id is missing or cannot be used",
  claims: "a claim cannot be read, or is withheld",
  permission: "no rule about who may use the realm fits this account",
  draft: "the settings were changed while the test ran",
} as const satisfies Record<string, string>;

export type SignInCheck = keyof typeof signInChecks;
export const signInCheckNames = Object.keys(signInChecks) as SignInCheck[];
