import type { z } from "zod";
import { errorCatalogue, type ErrorCode } from "../../../domain/errors.ts";
import type { Endpoint, Method, UploadFormats } from "../endpoint.ts";
import { isCacheable } from "../endpoint.ts";
import { answerHeaders, byName, createComponents, reference, type Components, type Json } from "./components.ts";
import { createListSchemas } from "./lists.ts";
import { scopesOf } from "../access.ts";
import { isRecord } from "../parse.ts";

interface Addresses {
  baseUrl: string;
  authUrl: string;
}

/**
 * Creates the OpenAPI 3.1 document of the endpoints and OAuth's paths. The same input always produces the same
 * document.
 */
export function createOpenApiDocument(
  endpoints: readonly Endpoint[],
  oauthPaths: (authUrl: string, components: Components) => Record<string, Json>,
  { baseUrl, authUrl }: Addresses,
): Json {
  const components = createComponents();
  const paths: Record<string, Json> = oauthPaths(authUrl, components);
  for (const endpoint of endpoints) {
    const path = documentPath(endpoint);
    for (const method of endpoint.methods) {
      const servers = endpoint.host === "auth" ? { servers: [{ url: authUrl }] } : {};
      paths[path] = { ...paths[path], [method]: { ...operationOf(endpoint, method, components), ...servers } };
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Realmpass",
      version: "1.0",
      description: "Issues and manages network-access profiles (EAP-TLS client certificates) for the users of a realm.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set([...endpoints.map(tagOf), "oauth"])].sort().map((name) => ({ name })),
    paths: byName(paths),
    components: components.all(authUrl),
  };
}

/** Paths in which a serial number and a chosen name have the same place. */
const sharedPath = /^(\/api\/(?:profile|infrastructure-profile))\/:(?:serial|name)$/;

/**
 * Returns the path in the document. OpenAPI treats templates that differ only in parameter names as one, so a serial
 * number and a chosen name at the same place share a name.
 */
const documentPath = ({ path }: Endpoint): string =>
  path.replace(sharedPath, "$1/:serialOrName").replace(/:(\w+)/g, "{$1}");

export const tagOf = ({ path }: Pick<Endpoint, "path">): string => /^\/api\/([^/:]+)/.exec(path)?.[1] ?? "service";

function operationOf(endpoint: Endpoint, method: Method, components: Components): Json {
  const { operation, list, file, upload } = endpoint;
  const lists = createListSchemas(components);
  const body =
    list === undefined ? endpoint.body && components.schema(endpoint.body, "input") : lists.body(operation, list);
  return {
    operationId: endpoint.methods.length > 1 && method === "post" ? `${operation}ByPost` : operation,
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [tagOf(endpoint)],
    security: endpoint.access === "public" ? [] : [{ oauth: scopesOf(endpoint) }],
    "x-access": endpoint.access,
    parameters: [
      ...pathParameters(endpoint, components),
      ...parametersOf(endpoint.query, "query", components),
      ...(list === undefined ? [] : lists.parameters(operation, list)),
      ...(file?.filter === undefined ? [] : [lists.filterParameter(operation, file.filter)]),
      ...(file?.resumed === true ? [reference("parameters", "LastEventID")] : []),
      ...(endpoint.path.startsWith("/api/") ? [reference("parameters", "ApiVersion")] : []),
      ...(endpoint.changes ? [reference("parameters", "IdempotencyKey")] : []),
      ...(endpoint.conditional === true ? [reference("parameters", "IfMatch")] : []),
      ...(endpoint.pending === undefined ? [] : [reference("parameters", "Prefer")]),
      ...(isCacheable(endpoint, method) ? [reference("parameters", "IfNoneMatch")] : []),
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { required: isRequired(body), content: { "application/json": { schema: body } } } }),
    ...(upload === undefined ? {} : { requestBody: { required: true, content: uploadContent(upload, components) } }),
    responses: responsesOf(endpoint, method, components),
  };
}

const uploadContent = ({ types }: UploadFormats, components: Components): Json =>
  Object.fromEntries(
    Object.entries(types).map(([type, { schema }]) => [type, { schema: components.schema(schema, "input") }]),
  );

const isRequired = (body: Json): boolean => Array.isArray(body["required"]) && body["required"].length > 0;

const pathParameters = ({ path, params }: Endpoint, components: Components): Json[] =>
  parametersOf(params, "path", components).map((parameter) =>
    sharedPath.test(path) ? { ...parameter, name: "serialOrName" } : parameter,
  );

const parametersOf = (fields: z.ZodObject | undefined, where: "path" | "query", components: Components): Json[] =>
  Object.entries(fields?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: where,
    required: where === "path",
    ...(isRecord(schema as z.ZodType) ? { style: "deepObject", explode: true } : {}),
    schema: components.schema(schema as z.ZodType, "input"),
  }));

function responsesOf(endpoint: Endpoint, method: Method, components: Components): Json {
  const { data, pending, list, file } = endpoint;
  const kept = isCacheable(endpoint, method);
  const headers = { ...answerHeaders(), ...(kept ? { ETag: reference("headers", "ETag") } : {}) };
  const responses: Json = {
    200: {
      description: "Done.",
      headers,
      content:
        file === undefined
          ? { "application/json": { schema: wrapper(200, components.schema(data, "output"), list, components) } }
          : Object.fromEntries(
              Object.entries(file.types).map(([type, line]) => [type, { schema: components.schema(line, "output") }]),
            ),
    },
  };
  if (kept) responses[304] = { description: "Unchanged since the `ETag` of `If-None-Match`.", headers };
  if (pending !== undefined) {
    responses[202] = {
      description: "Still running: repeat the request at `Location`, after `Retry-After` seconds.",
      headers: { ...headers, Location: { schema: { type: "string" } }, "Retry-After": { schema: { type: "integer" } } },
      content: {
        "application/json": { schema: wrapper(202, components.schema(pending, "output"), undefined, components) },
      },
    };
  }
  for (const [status, codes] of errorsByStatus(endpoint)) responses[status] = components.errorResponse(status, codes);
  return responses;
}

const wrapper = (code: number, data: Json, list: Endpoint["list"], components: Components): Json => ({
  type: "object",
  required: ["result", "code", "data"],
  properties: {
    result: { const: "ok" },
    code: { const: code },
    data,
    ...(list === undefined
      ? {}
      : { limit: { type: "integer" }, offset: { type: "integer" }, total: { type: "integer" } }),
    ...Object.fromEntries(
      Object.entries(list?.includes ?? {}).map(([name, schema]) => [name, components.schema(schema, "output")]),
    ),
  },
});

const errorsOfAccess: Record<Endpoint["access"], readonly ErrorCode[]> = {
  staff: ["unauthenticated", "forbidden"],
  user: ["unauthenticated", "user_required"],
  guest: ["unauthenticated", "guest_account_required"],
  any: ["unauthenticated"],
  public: [],
};

/** Returns the codes that an endpoint can respond with: its own and its kind's. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const takesBody = endpoint.body !== undefined || endpoint.list !== undefined || endpoint.upload !== undefined;
  return [
    ...new Set<ErrorCode>([
      ...endpoint.errors,
      ...errorsOfAccess[endpoint.access],
      ...(scopesOf(endpoint).length === 0 ? [] : (["insufficient_scope"] as const)),
      ...(takesBody ? (["payload_too_large", "unsupported_media_type"] as const) : []),
      ...(endpoint.changes ? (["idempotency_key_reused"] as const) : []),
      ...(endpoint.conditional === true ? (["precondition_failed"] as const) : []),
      "invalid_request",
      "unsupported_api_version",
      "too_many_requests",
      "internal_error",
      "unavailable",
    ]),
  ].sort();
}

function errorsByStatus(endpoint: Endpoint): [number, ErrorCode[]][] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(endpoint)) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].sort(([a], [b]) => a - b);
}
