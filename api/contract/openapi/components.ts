import { z } from "zod";
import { errorCatalogue, type ErrorCode } from "../../../domain/errors.ts";
import {
  allScopes,
  claimScopes,
  isMachineScope,
  Scope,
  scopes,
  scopesAllowedTo,
} from "../../../domain/people/scopes.ts";

export type Json = Record<string, unknown>;

/** The shared parts of operations. Each part is described once; operations refer to it. */
export interface Components {
  /** Converts a zod schema to JSON Schema 2020-12, which OpenAPI 3.1 uses. Schemas with an id become components. */
  schema(schema: z.ZodType, io: "input" | "output"): Json;
  /** Returns all components, in an order independent of the calls. */
  define(name: string, schema: Json): Json;
  /** Adds the response for errors of one status and returns the reference. */
  errorResponse(status: number, codes: readonly ErrorCode[]): Json;
  /** Returns all components, in an order independent of the calls. */
  all(authUrl: string): Json;
}

export const reference = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

export function createComponents(): Components {
  const schemas: Json = { Error: errorSchema, ProblemDetails: problemSchema };
  const responses: Json = {};
  return {
    schema(schema, io) {
      const converted = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" }) as Json;
      const { $schema: _, $defs = {}, ...rest } = hoisted(converted);
      Object.assign(schemas, $defs);
      return rest;
    },
    define(name, schema) {
      schemas[name] = schema;
      return reference("schemas", name);
    },
    errorResponse(status, codes) {
      const name = [status, ...codes].join("_");
      responses[name] = errorResponse(codes);
      return reference("responses", name);
    },
    all: (authUrl) => ({
      schemas: byName(schemas),
      responses: byName(responses),
      parameters: {
        ApiVersion: versionParameter,
        IdempotencyKey: idempotencyKeyParameter,
        IfMatch: ifMatchParameter,
        IfNoneMatch: ifNoneMatchParameter,
        LastEventID: lastEventIdParameter,
        Prefer: preferParameter,
      },
      headers: { ...commonHeaders, ETag: { schema: { type: "string" }, description: "RFC 9110 section 8.8.3." } },
      securitySchemes: securitySchemes(authUrl),
    }),
  };
}

/** Turns references to definitions with an id into references to components, and removes the ids. */
function hoisted(schema: Json): Json {
  const { id: _, ...rest } = schema;
  return JSON.parse(JSON.stringify(rest).replaceAll('"#/$defs/', '"#/components/schemas/'), (key, value: unknown) => {
    if (key !== "$defs") return value;
    return Object.fromEntries(
      Object.entries(value as Record<string, Json>).map(([name, { id: __, ...definition }]) => [name, definition]),
    );
  }) as Json;
}

export const byName = <Value>(entries: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));

const errorResponse = (codes: readonly ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join(" "),
  headers: answerHeaders(),
  content: {
    "application/json": {
      schema: { allOf: [reference("schemas", "Error"), { properties: { error: { enum: codes } } }] },
    },
    "application/problem+json": { schema: reference("schemas", "ProblemDetails") },
  },
});

const errorSchema: Json = {
  type: "object",
  required: ["result", "code", "error", "error_description", "request_id"],
  properties: {
    result: { const: "error" },
    code: { type: "integer" },
    error: { type: "string" },
    error_description: { type: "string" },
    request_id: { type: "string", format: "uuid" },
    fields: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "reason"],
        properties: { path: { type: "string" }, reason: { type: "string" } },
      },
    },
  },
};

const problemSchema: Json = {
  type: "object",
  description: "RFC 9457, for clients that accept it.",
  required: ["type", "title", "status", "detail", "instance", "error", "request_id"],
  properties: {
    type: { type: "string", format: "uri" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    instance: { type: "string", format: "uri" },
    error: { type: "string" },
    request_id: { type: "string", format: "uuid" },
    fields: { type: "array", items: { type: "object" } },
  },
};

const versionParameter: Json = {
  name: "x-api-version",
  in: "header",
  required: false,
  schema: { enum: ["1.0", "2.0"], default: "1.0" },
};

const idempotencyKeyParameter: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "A repeat within 24 hours gets the first response and changes nothing.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
};

const preferParameter: Json = {
  name: "Prefer",
  in: "header",
  required: false,
  description: "RFC 7240: `respond-async` answers 202 at once, `wait=N` (1 to 60) waits up to N seconds.",
  schema: { type: "string" },
};

const ifMatchParameter: Json = {
  name: "If-Match",
  in: "header",
  required: false,
  description: "The `ETag` of the response that was read: `precondition_failed` if it has changed since.",
  schema: { type: "string" },
};

const ifNoneMatchParameter: Json = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The `ETag` of an earlier response: 304 without a body if it is still the same.",
  schema: { type: "string" },
};

const lastEventIdParameter: Json = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "The `id` of the last event that was received: only what is newer is sent.",
  schema: { type: "string" },
};

const commonHeaders: Json = {
  "X-Request-Id": { schema: { type: "string", format: "uuid" } },
  "X-Rate-Limit-Limit": { schema: { type: "integer" }, description: "Requests per window." },
  "X-Rate-Limit-Remaining": { schema: { type: "integer" } },
  "X-Rate-Limit-Reset": { schema: { type: "integer" }, description: "Seconds until the window ends." },
};

/** Returns the headers of every response. */
export const answerHeaders = (): Json =>
  Object.fromEntries(Object.keys(commonHeaders).map((name) => [name, reference("headers", name)]));

const described = (listed: readonly Scope[]): Json => Object.fromEntries(listed.map((scope) => [scope, scopes[scope]]));

const securitySchemes = (authUrl: string): Json => ({
  oauth: {
    type: "oauth2",
    description: "The access token goes into the Authorization header (RFC 6750).",
    flows: {
      authorizationCode: {
        authorizationUrl: `${authUrl}/oauth/authorize`,
        tokenUrl: `${authUrl}/oauth/token`,
        refreshUrl: `${authUrl}/oauth/token`,
        scopes: described([...allScopes, ...claimScopes]),
      },
      clientCredentials: {
        tokenUrl: `${authUrl}/oauth/token`,
        scopes: described([...scopesAllowedTo("service"), ...Scope.options.filter(isMachineScope)]),
      },
    },
  },
});
