import type { Json } from "./openapi-components.ts";
import { oauthErrors } from "./oauth/oauth-error.ts";
import { grantTypes } from "./oauth/token.ts";

/** What clients call on the authorization server's address, with success and failure in the words of its standards. */
export const oauthPaths = (authUrl: string): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [path, { servers: [{ url: authUrl }], ...operations }]),
  );

const clientFields = {
  client_id: { type: "string" },
  client_secret: { type: "string", description: "Or both by HTTP Basic." },
};

const paths: Record<string, Json> = {
  "/oauth/token": {
    post: operation({
      operationId: "getToken",
      summary: "Get tokens (RFC 6749 section 3.2)",
      description:
        "The client authenticates by HTTP Basic or by `client_id` and `client_secret` in the form, or, if it has no secret, " +
        "names itself by `client_id`. Access tokens are valid for 30 minutes; a guest's for as long as the guest account.",
      form: {
        required: ["grant_type"],
        properties: {
          grant_type: { enum: grantTypes },
          ...clientFields,
          code: { type: "string", description: "For `authorization_code`; valid for a minute, once." },
          redirect_uri: { type: "string", description: "For `authorization_code`." },
          code_verifier: { type: "string", description: "For `authorization_code`, when PKCE was used (RFC 7636)." },
          refresh_token: { type: "string", description: "For `refresh_token`." },
          guest_token: { type: "string", description: "For `guest_token`, which needs no client." },
          scope: {
            type: "string",
            description: "Separated by spaces; omitted: all that the client is registered for.",
          },
        },
      },
      answer: {
        required: ["access_token", "token_type"],
        properties: {
          access_token: { type: "string" },
          token_type: { const: "Bearer" },
          id_token: { type: "string", description: "With `openid`, for a user." },
          refresh_token: { type: "string", description: "With `offline_access`, for a code." },
          code: { type: "string", description: "The code that was exchanged." },
        },
      },
      failures: [400, 401, 429, 503],
    }),
  },
  "/oauth/revoke": {
    post: operation({
      operationId: "revokeToken",
      summary: "End a token (RFC 7009)",
      description:
        "A refresh token ends its session with all tokens, an access token ends alone. Unknown tokens are 200.",
      form: { required: ["token"], properties: { token: { type: "string" }, ...clientFields } },
      failures: [400, 401, 429, 503],
    }),
  },
  "/oauth/introspect": {
    post: operation({
      operationId: "introspectToken",
      summary: "Ask what a token is (RFC 7662)",
      description: "For clients with a secret, about tokens of their realm.",
      form: { required: ["token"], properties: { token: { type: "string" }, ...clientFields } },
      answer: {
        required: ["active"],
        properties: {
          active: { type: "boolean" },
          sub: { type: "string" },
          client_id: { type: "string" },
          scope: { type: "string" },
          token_type: { const: "Bearer" },
          iss: { type: "string" },
          aud: { type: "string" },
          sid: { type: "string" },
          iat: { type: "integer" },
          exp: { type: "integer" },
        },
      },
      failures: [400, 401, 429, 503],
    }),
  },
  "/oauth/userinfo": {
    get: operation({
      operationId: "getUserinfo",
      summary: "Who is signed in (OpenID Connect Core section 5.3)",
      security: [{ oauth: ["openid"] }],
      answer: {
        required: ["sub", "pairwise_id"],
        properties: {
          sub: { type: "string" },
          pairwise_id: { type: "string" },
          email: { type: "string" },
          name: { type: "string" },
        },
      },
      failures: [401, 403, 429, 503],
    }),
  },
  "/oauth/jwks": {
    get: operation({
      operationId: "getTokenKeys",
      summary: "The keys that tokens can be verified with (RFC 7517)",
      answer: { required: ["keys"], properties: { keys: { type: "array", items: { type: "object" } } } },
      failures: [503],
    }),
  },
};

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  security?: Json[];
  form?: { required: string[]; properties: Json };
  answer?: { required: string[]; properties: Json };
  failures: readonly number[];
}

function operation({ operationId, summary, description, security = [], form, answer, failures }: Operation): Json {
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: ["oauth"],
    security,
    "x-access": security.length === 0 ? "public" : "user",
    ...(form === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/x-www-form-urlencoded": { schema: { type: "object", ...form } } },
          },
        }),
    responses: {
      200:
        answer === undefined
          ? { description: "Done." }
          : {
              description: "The answer.",
              content: { "application/json": { schema: { type: "object", ...answer } } },
            },
      ...Object.fromEntries(failures.map((status) => [status, errorOf(status)])),
    },
  };
}

function errorOf(status: number): Json {
  const codes = Object.entries(oauthErrors).filter(([, entry]) => entry.status === status);
  return {
    description: codes.map(([code, { description }]) => `\`${code}\`: ${description}`).join(" "),
    content: {
      "application/json": {
        schema: {
          type: "object",
          required: ["error", "error_description"],
          properties: { error: { enum: codes.map(([code]) => code) }, error_description: { type: "string" } },
        },
      },
    },
  };
}
