import { z } from "zod";

// Responses to clients, as the endpoints send them and docs/openapi.json describes them, properties in the same order.

const Seconds = z.int();
const Uri = z.string();

/** `POST /oauth/token`; exactly the properties of the specification, unless the application asks for more. */
export const TokenAnswer = z.object({
  access_token: z.string(),
  id_token: z.string().optional().describe("With `openid`, for a user."),
  token_type: z.literal("Bearer"),
  refresh_token: z.string().optional().describe("With `offline_access`, for a code."),
  code: z.string().optional().describe("The code that was exchanged."),
  expires_in: Seconds.optional().describe("With `fullTokenAnswers`: how long the access token lasts."),
  scope: z.string().optional().describe("With `fullTokenAnswers`: the access token's scopes."),
});
export type TokenAnswer = z.infer<typeof TokenAnswer>;

const Confirmation = z
  .object({
    "x5t#S256": z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/)
      .describe("SHA-256 of the certificate in DER, base64url."),
  })
  .describe("The certificate that the token is bound to, if it is bound (RFC 8705 section 3.2).");

/** `POST /oauth/introspect` (RFC 7662 section 2.2). */
export const IntrospectionAnswer = z.discriminatedUnion("active", [
  z.object({ active: z.literal(false) }),
  z.object({
    active: z.literal(true),
    sub: z.string(),
    client_id: z.string(),
    token_type: z.literal("Bearer").optional().describe("Of an access token."),
    aud: z.string().optional().describe("Of an access token."),
    sid: z.string().optional(),
    cnf: Confirmation.optional(),
    iss: z.string(),
    scope: z.string(),
    iat: Seconds,
    exp: Seconds,
  }),
]);
export type IntrospectionAnswer = z.infer<typeof IntrospectionAnswer>;

/** `/oauth/userinfo` (OpenID Connect Core section 5.3.2). */
export const UserinfoAnswer = z.object({
  sub: z.string(),
  pairwise_id: z.string(),
  email: z.string().optional(),
  name: z.string().optional(),
});

/** `POST /oauth/revoke` (RFC 7009 section 2.2). */
export const RevocationAnswer = z.object({});

/** `GET /oauth/jwks` (RFC 7517 section 5). */
export const KeysAnswer = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** The authorization server's metadata (RFC 8414 section 2, OpenID Connect Discovery section 3). */
export const MetadataAnswer = z.object({
  issuer: Uri,
  authorization_endpoint: Uri,
  token_endpoint: Uri,
  jwks_uri: Uri,
  userinfo_endpoint: Uri,
  end_session_endpoint: Uri,
  revocation_endpoint: Uri,
  introspection_endpoint: Uri,
  scopes_supported: z.array(z.string()),
  response_types_supported: z.array(z.string()),
  response_modes_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  authorization_response_iss_parameter_supported: z.boolean(),
  prompt_values_supported: z.array(z.string()),
  ui_locales_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  revocation_endpoint_auth_methods_supported: z.array(z.string()),
  introspection_endpoint_auth_methods_supported: z.array(z.string()),
  subject_types_supported: z.array(z.string()),
  id_token_signing_alg_values_supported: z.array(z.string()),
  claims_supported: z.array(z.string()),
  request_parameter_supported: z.boolean(),
  request_uri_parameter_supported: z.boolean(),
  claims_parameter_supported: z.boolean(),
  tls_client_certificate_bound_access_tokens: z
    .literal(true)
    .optional()
    .describe("Where people sign in with profiles."),
  mtls_endpoint_aliases: z
    .object({ token_endpoint: Uri, userinfo_endpoint: Uri })
    .optional()
    .describe("The endpoints for mutual TLS (RFC 8705 section 5)."),
});
export type MetadataAnswer = z.infer<typeof MetadataAnswer>;
