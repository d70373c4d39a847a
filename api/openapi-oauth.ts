import { oauthErrors } from "./oauth/oauth-error.ts";

/** The token endpoint, which has its own words for success and failure (RFC 6749). */
export const tokenEndpoint = {
  post: {
    operationId: "getToken",
    summary: "Get an access token (RFC 6749 section 3.2)",
    description:
      "The client authenticates by HTTP Basic or by `client_id` and `client_secret` in the form. Tokens are valid for 30 minutes.",
    tags: ["oauth"],
    security: [],
    "x-access": "public",
    requestBody: {
      required: true,
      content: {
        "application/x-www-form-urlencoded": {
          schema: {
            type: "object",
            required: ["grant_type"],
            properties: {
              grant_type: { enum: ["client_credentials"] },
              client_id: { type: "string" },
              client_secret: { type: "string" },
              scope: {
                type: "string",
                description: "Separated by spaces; omitted: all that the client is registered for.",
              },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: "The tokens.",
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["access_token", "token_type"],
              properties: { access_token: { type: "string" }, token_type: { const: "Bearer" } },
            },
          },
        },
      },
      400: errorOf(400),
      401: errorOf(401),
      503: errorOf(503),
    },
  },
};

function errorOf(status: number): Record<string, unknown> {
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
