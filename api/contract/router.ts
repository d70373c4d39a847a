import type { Request } from "express";
import type { z } from "zod";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { ServiceError } from "../../domain/errors.ts";
import { BulkJobID, IssuanceID } from "../../domain/ids.ts";
import { requireAdmission } from "./access.ts";
import { authenticate, readBearerToken } from "./authenticate.ts";
import { changeOf } from "./idempotent-change.ts";
import { requireBoundCertificate } from "./bound-certificate.ts";
import type { Deps } from "./deps.ts";
import type { ApiVersion, Endpoint, Method } from "./endpoint.ts";
import { problemErrors } from "../http/error-response.ts";
import { isCacheable } from "./endpoint.ts";
import { isText } from "../http/json-text.ts";
import { readPrefer } from "./prefer.ts";
import { idempotencyScopeOf, rateLimitOf, type Principal } from "./principal.ts";
import { parsePairs, queryOf } from "../http/query-string.ts";
import { readJsonBody } from "../http/request-body.ts";
import { contextOf, type Subject } from "../http/request-context.ts";
import { requireMatch, sendAnswer } from "../http/respond.ts";
import type { Exchange, Route } from "../http/route.ts";
import { sendStream } from "./stream.ts";
import { openUpload } from "./upload.ts";

/** The endpoints whose paths have the same shape; the names of their parameters may differ. */
interface SharedPath {
  /** The template with its parameters numbered, as passed to Express. */
  pattern: string;
  /** By method. */
  targets: Map<string, Target>;
}

interface Target {
  endpoint: Endpoint;
  method: Method;
  /** Of the template's parameters, in order. */
  names: readonly string[];
}

/** Returns the endpoints' routes, fixed parts before parameters, so the order of the list does not matter. */
export function endpointRoutes(endpoints: readonly Endpoint[], deps: Deps): Route[] {
  const fixedFirst = ({ pattern }: SharedPath): string => pattern.replaceAll(":", "~");
  return sharedPaths(endpoints)
    .sort((a, b) => (fixedFirst(a) < fixedFirst(b) ? -1 : 1))
    .map(({ pattern, targets }) => {
      const [first] = targets.values();
      return {
        path: pattern,
        name: first?.endpoint.path ?? pattern,
        methods: [...targets.keys(), "OPTIONS"],
        limit: "token",
        errors: problemErrors,
        handle(exchange) {
          const target = targets.get(exchange.request.method);
          if (target === undefined) throw new Error("a route is given its own methods only");
          return answer(target, deps, exchange);
        },
      };
    });
}

const parameter = /:(\w+)/g;

function sharedPaths(endpoints: readonly Endpoint[]): SharedPath[] {
  const paths = new Map<string, SharedPath>();
  for (const endpoint of endpoints) {
    const names = [...endpoint.path.matchAll(parameter)].map(([, name = ""]) => name);
    let position = 0;
    const pattern = endpoint.path.replace(parameter, () => `:p${position++}`);
    const shared = paths.get(pattern) ?? { pattern, targets: new Map<string, Target>() };
    paths.set(pattern, shared);
    for (const method of endpoint.methods) {
      const name = method.toUpperCase();
      if (shared.targets.has(name)) throw new Error(`two endpoints for ${method} ${endpoint.path}`);
      shared.targets.set(name, { endpoint, method, names });
    }
  }
  for (const { targets } of paths.values()) {
    const get = targets.get("GET");
    if (get !== undefined && answersHead(get)) targets.set("HEAD", get);
  }
  return [...paths.values()];
}

/** Returns whether the endpoint supports HEAD. Streams and secrets do not, because reading some of them is audited. */
const answersHead = ({ endpoint }: Target): boolean => endpoint.file === undefined && !endpoint.secret;

async function answer(
  { endpoint, method, names }: Target,
  deps: Deps,
  { limiter, request, response, address }: Exchange,
): Promise<void> {
  const context = contextOf(response);
  context.route = endpoint.path;
  const principal =
    endpoint.access === "public" ? undefined : await admit(endpoint, { deps, limiter, request, response, address });
  if (principal === undefined) await limiter.countPublic(response, address);

  const version = readVersion(request);
  const params = readParams(request, names);
  context.about = subjectOf(endpoint, params);
  const query = parsePairs(queryOf(request.originalUrl));
  const takesBody = endpoint.body !== undefined || endpoint.list !== undefined;
  const body = takesBody ? await readJsonBody(request, deps.settings.bodyLimits) : undefined;
  const upload = endpoint.upload && openUpload(request, endpoint.upload, deps.settings.bodyLimits);

  const result = await endpoint.respond({
    deps,
    principal,
    method,
    params,
    query,
    body,
    upload,
    version,
    prefer: readPrefer(request.headers["prefer"]),
    accepts: (types) => request.accepts([...types]) || (types[0] ?? ""),
    change: changeOf(deps, {
      idempotencyKey: endpoint.changes ? request.get("Idempotency-Key") : undefined,
      scope: principal === undefined ? "public" : idempotencyScopeOf(principal),
      method: request.method,
      target: request.originalUrl,
      content: () => upload?.digest() ?? (body === undefined ? "" : canonicalJson(JSON.stringify(body))),
    }),
    requireMatch: (data) => {
      requireMatch(request.headers["if-match"], data);
    },
    lastEventId: request.get("Last-Event-ID"),
    stillAdmitted: () => isStillAdmitted(endpoint, { deps, request, address }),
    requestId: context.id,
    concerns: (subject) => {
      context.about = subject;
    },
    log: context.log(),
    signal: context.signal,
  });
  if ("pieces" in result) await sendStream(response, result, { signal: context.signal() });
  else sendAnswer(response, result, { isCacheable: isCacheable(endpoint, method) });
}

/**
 * Authenticates the caller, counts the request and checks admission. Throws if the caller is not authenticated, is
 * beyond the rate limit, or is not admitted.
 */
export async function admit(
  endpoint: Pick<Endpoint, "access" | "scope" | "furtherScopes">,
  { deps, limiter, request, response, address }: Exchange & { deps: Deps },
): Promise<Principal> {
  const token = readBearerToken(request.headers.authorization);
  limiter.refuseExhausted(response, token.hash);
  const principal = await authenticate(deps, token, address);
  contextOf(response).who = whoOf(principal);
  await limiter.countToken(response, { hash: token.hash, limit: rateLimitOf(principal) });
  await requireBoundCertificate(deps, request, principal);
  requireAdmission(principal, endpoint);
  return principal;
}

/** Returns whether an admitted request would still be admitted now. */
async function isStillAdmitted(
  endpoint: Endpoint,
  { deps, request, address }: { deps: Deps; request: Request; address: string },
): Promise<boolean> {
  if (endpoint.access === "public") return true;
  try {
    const token = readBearerToken(request.headers.authorization);
    requireAdmission(await authenticate(deps, token, address), endpoint);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

const whoOf = (principal: Principal): Record<string, string> => ({
  realmId: principal.realmId,
  ...(principal.kind === "user" ? { userId: principal.userId } : {}),
  ...(principal.kind === "guest" ? { guestAccountId: principal.guestAccountId } : {}),
  ...(principal.kind !== "guest" && principal.clientId !== null ? { clientId: principal.clientId } : {}),
});

/** Returns the issuance or job in the path, for the log. An invalid id is not logged: it could be any text. */
function subjectOf({ path }: Endpoint, { id }: Readonly<Record<string, string>>): Subject | undefined {
  const isOf = (prefix: string, schema: z.ZodType): boolean =>
    path.startsWith(`${prefix}/:id`) && schema.safeParse(id).success;
  if (id === undefined) return undefined;
  if (isOf("/api/issuances", IssuanceID)) return { issuanceId: id };
  return isOf("/api/jobs", BulkJobID) ? { bulkJobId: id } : undefined;
}

function readVersion(request: Request): ApiVersion {
  const version = request.get("x-api-version")?.trim() ?? "1.0";
  if (version !== "1.0" && version !== "2.0") throw new ServiceError("unsupported_api_version");
  return version;
}

function readParams(request: Request, names: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  names.forEach((name, index) => {
    const value = String(request.params[`p${index}`]);
    if (!isText(value)) throw new ServiceError("invalid_request", { fields: [{ path: name, reason: "contains NUL" }] });
    params[name] = value;
  });
  return params;
}
