import type { z } from "zod";
import type { Components, Json } from "../contract/openapi/components.ts";
import {
  IntrospectionAnswer,
  KeysAnswer,
  MetadataAnswer,
  RevocationAnswer,
  TokenAnswer,
  UserinfoAnswer,
} from "./answers.ts";
import { authorizationErrorCodes } from "./authorization-error.ts";
import { oauthErrors } from "./oauth-error.ts";
import { grantTypes } from "./token.ts";

/**
 * Describes the endpoints that clients call at the authorization server's address, with results and errors as the OAuth
 * standards define them.
 */
export const oauthPaths = (authUrl: string, { schema }: Pick<Components, "schema">): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      {
        servers: [{ url: authUrl }],
        ...Object.fromEntries(
          Object.entries(operations).map(([method, describe]) => [method, describe((type) => schema(type, "input"))]),
        ),
      },
    ]),
  );

/** Describes an operation, given a function that converts schemas. */
type Describe = (schemaOf: (schema: z.ZodType) => Json) => Json;

const clientFields = {
  client_id: { type: "string" },
  client_secret: { type: "string", description: "Or both by HTTP Basic." },
};

const serverMetadata = (operationId: string, summary: string): Record<string, Describe> => ({
  get: operation({
    operationId,
    summary,
    answer: MetadataAnswer,
    failures: [],
  }),
});

const paths: Record<string, Record<string, Describe>> = {
  "/.well-known/openid-configuration": serverMetadata(
    "getOpenIdConfiguration",
    "The authorization server's metadata (OpenID Connect Discovery section 4)",
  ),
  "/.well-known/oauth-authorization-server": serverMetadata(
    "getAuthorizationServerMetadata",
    "The same (RFC 8414); under an issuer with a path, that path follows",
  ),
  "/oauth/authorize": {
    get: pageOperation({
      operationId: "authorize",
      summary: "Send a person to sign in and to allow the client what it asks for (RFC 6749 section 4.1.1)",
      description:
        "For browsers. Leads back to the redirect URI with `code`, `iss` and, if sent, `state`, or with `error`, " +
        "`error_description`, `iss` and `state`: " +
        `${authorizationErrorCodes.map((code) => `\`${code}\``).join(", ")}. ` +
        "For an unknown client or a redirect URI that is not registered a page shows the error, and nobody is redirected.",
      parameters: [
        queryParameter("response_type", { const: "code" }, { required: true }),
        queryParameter("client_id", { type: "string" }, { required: true }),
        queryParameter("redirect_uri", { type: "string" }, { required: true, description: "A registered one." }),
        queryParameter(
          "scope",
          { type: "string" },
          { description: "Separated by spaces; omitted: all that the client is registered for." },
        ),
        queryParameter("state", { type: "string" }, { description: "Recommended; returned unchanged." }),
        queryParameter(
          "code_challenge",
          { type: "string", pattern: "^[A-Za-z0-9_-]{43}$" },
          { description: "Recommended, and needed by clients that are registered with PKCE (RFC 7636)." },
        ),
        queryParameter("code_challenge_method", { const: "S256" }, { description: "With `code_challenge`." }),
        queryParameter("nonce", { type: "string" }, { description: "Returned in the id token." }),
        queryParameter(
          "prompt",
          { type: "string" },
          { description: "`none`, or some of `login`, `consent` and `select_account`, separated by spaces." },
        ),
        queryParameter("max_age", { type: "integer", minimum: 0 }, { description: "Seconds since signing in." }),
        queryParameter("response_mode", { const: "query" }),
      ],
      page: "Asks the person to allow the client what it asks for.",
      redirect: "To the redirect URI with the code or the error, or to signing in, which leads back here.",
      failures: {
        400: "A page: there is no such client, or the redirect URI is not its own.",
        403: "A page: the person is offboarded.",
        429: "A page: too many requests.",
        503: "A page: try again in a moment.",
      },
    }),
  },
  "/oauth/logout": {
    get: pageOperation({
      operationId: "logout",
      summary: "End the session of an id token",
      description:
        "For browsers. Ends the session with its tokens and the sign-in that it began with. Without an id token of this " +
        "service and client a page asks the person first. The names of OpenID Connect RP-Initiated Logout 1.0 are " +
        "understood as well. A POST with a form does the same.",
      parameters: [
        queryParameter(
          "id_token",
          { type: "string" },
          { description: "Expired or not. Without it or `id_token_hint` a page asks the person." },
        ),
        queryParameter("client_id", { type: "string" }, { description: "The client that the id token was issued to." }),
        queryParameter(
          "logout_uri",
          { type: "string" },
          { description: "Where to go afterwards, on the host of the client URI; may be sent unescaped." },
        ),
        queryParameter("id_token_hint", { type: "string" }, { description: "Instead of `id_token`." }),
        queryParameter("post_logout_redirect_uri", { type: "string" }, { description: "Instead of `logout_uri`." }),
        queryParameter("state", { type: "string" }, { description: "Added to the address of the redirect." }),
      ],
      page: "Shows that the person is signed out, if there is no `logout_uri`; or asks.",
      redirect: "To `logout_uri`.",
      failures: {
        400: "A page: the address is not of the client's host, or a parameter occurs twice. Nothing ended.",
        429: "A page: too many requests.",
        503: "A page: try again in a moment.",
      },
    }),
  },
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
      answer: TokenAnswer,
      failures: [400, 401, 429, 503],
    }),
  },
  "/oauth/revoke": {
    post: operation({
      operationId: "revokeToken",
      summary: "End a token (RFC 7009)",
      description:
        "A refresh token ends its session with all tokens, an access token ends alone. An unknown token returns 200 as well.",
      form: { required: ["token"], properties: { token: { type: "string" }, ...clientFields } },
      answer: RevocationAnswer,
      failures: [400, 401, 429, 503],
    }),
  },
  "/oauth/introspect": {
    post: operation({
      operationId: "introspectToken",
      summary: "Describe a token (RFC 7662)",
      description: "For clients with a secret, about tokens of their realm.",
      form: { required: ["token"], properties: { token: { type: "string" }, ...clientFields } },
      answer: IntrospectionAnswer,
      failures: [400, 401, 429, 503],
    }),
  },
  "/oauth/userinfo": {
    get: operation({
      operationId: "getUserinfo",
      summary: "The signed-in user (OpenID Connect Core section 5.3)",
      security: [{ oauth: ["openid"] }],
      answer: UserinfoAnswer,
      failures: [401, 403, 429, 503],
    }),
  },
  "/oauth/jwks": {
    get: operation({
      operationId: "getTokenKeys",
      summary: "The keys that tokens can be verified with (RFC 7517)",
      answer: KeysAnswer,
      failures: [503],
    }),
  },
};

interface PageOperation {
  operationId: string;
  summary: string;
  description: string;
  parameters: Json[];
  /** Describes the page that is shown if the operation does not redirect. */
  page: string;
  /** Where the redirect leads. */
  redirect: string;
  failures: Readonly<Record<number, string>>;
}

/** Describes an operation that a browser opens: it shows a page or redirects. */
function pageOperation({ page, redirect, failures, ...about }: PageOperation): Describe {
  const content = { "text/html": { schema: { type: "string" } } };
  return () => ({
    ...about,
    tags: ["oauth"],
    security: [],
    "x-access": "public",
    responses: {
      200: { description: page, content },
      303: { description: redirect, headers: { Location: { required: true, schema: { type: "string" } } } },
      ...Object.fromEntries(
        Object.entries(failures).map(([status, description]) => [status, { description, content }]),
      ),
    },
  });
}

function queryParameter(
  name: string,
  schema: Json,
  { required = false, description }: { required?: boolean; description?: string } = {},
): Json {
  return { name, in: "query", required, ...(description === undefined ? {} : { description }), schema };
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  security?: Json[];
  form?: { required: string[]; properties: Json };
  answer?: z.ZodType;
  failures: readonly number[];
}

function operation({ operationId, summary, description, security = [], form, answer, failures }: Operation): Describe {
  return (schemaOf) => ({
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
              content: { "application/json": { schema: schemaOf(answer) } },
            },
      ...Object.fromEntries(failures.map((status) => [status, errorOf(status)])),
    },
  });
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
