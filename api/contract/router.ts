import { Router, type Request, type Response } from "express";
import { ServiceError } from "../../domain/errors.ts";
import { requireAccess, requireScope, scopesOf } from "./access.ts";
import { authenticate, readBearerToken } from "./authenticate.ts";
import { changeOf } from "./change.ts";
import { requireBoundCertificate } from "./bound-certificate.ts";
import type { Deps } from "./deps.ts";
import type { ApiVersion, Endpoint, Method } from "./endpoint.ts";
import { asServiceError, sendError } from "../http/error-response.ts";
import { isCacheable } from "./endpoint.ts";
import { canonicalJson, isText } from "../http/json-text.ts";
import { readPrefer } from "./prefer.ts";
import { idempotencyScopeOf, rateLimitOf, type Principal } from "./principal.ts";
import { parsePairs, queryOf } from "../http/query-string.ts";
import type { RateLimiter } from "../http/rate-limit.ts";
import { readJsonBody } from "../http/request-body.ts";
import { contextOf } from "../http/request-context.ts";
import { requireMatch, sendAnswer } from "../http/respond.ts";
import { sendStream } from "./stream.ts";
import { openUpload, takeLeftover } from "./upload.ts";

/** Endpoints that share a path's form; what they call its parameters may differ. */
interface Route {
  /** The template with its parameters numbered, as Express is given it. */
  pattern: string;
  methods: Map<Method, { endpoint: Endpoint; names: readonly string[] }>;
}

/** Mounts every endpoint. A known path with another method is 405; an unknown path is left to the next handler. */
export function createRouter(endpoints: readonly Endpoint[], deps: Deps, limiter: RateLimiter): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const route of routesOf(endpoints)) {
    router.all(route.pattern, (request, response) => serve(route, { deps, limiter, request, response }));
  }
  return router;
}

const parameter = /:(\w+)/g;

/** The endpoints by path, fixed parts before parameters, so that the order of the list does not matter. */
function routesOf(endpoints: readonly Endpoint[]): Route[] {
  const routes = new Map<string, Route>();
  for (const endpoint of endpoints) {
    const names = [...endpoint.path.matchAll(parameter)].map(([, name = ""]) => name);
    let position = 0;
    const pattern = endpoint.path.replace(parameter, () => `:p${position++}`);
    const route = routes.get(pattern) ?? { pattern, methods: new Map() };
    routes.set(pattern, route);
    for (const method of endpoint.methods) {
      if (route.methods.has(method)) throw new Error(`two endpoints for ${method} ${endpoint.path}`);
      route.methods.set(method, { endpoint, names });
    }
  }
  const fixedFirst = ({ pattern }: Route): string => pattern.replaceAll(":", "~");
  return [...routes.values()].sort((a, b) => (fixedFirst(a) < fixedFirst(b) ? -1 : 1));
}

interface Exchange {
  deps: Deps;
  limiter: RateLimiter;
  request: Request;
  response: Response;
}

async function serve(route: Route, exchange: Exchange): Promise<void> {
  const { request, response, limiter } = exchange;
  const context = contextOf(response);
  try {
    const method = request.method === "HEAD" ? "get" : (request.method.toLowerCase() as Method);
    const target = route.methods.get(method);
    if (target === undefined || (request.method === "HEAD" && !answersHead(route))) {
      context.route = [...route.methods.values()][0]?.endpoint.path ?? route.pattern;
      response.setHeader("Allow", allowedMethods(route));
      throw new ServiceError("method_not_allowed");
    }
    context.route = target.endpoint.path;
    await answer(target.endpoint, { ...exchange, method, names: target.names });
  } catch (thrown) {
    await refuse({ request, response, limiter, thrown });
  }
}

const allowedMethods = ({ methods }: Route): string =>
  [...methods.keys(), ...(answersHead({ methods }) ? ["head"] : []), "options"]
    .map((name) => name.toUpperCase())
    .join(", ");

/** That a file or a secret was asked for is on record, so there is no asking for its headers alone. */
const answersHead = ({ methods }: Pick<Route, "methods">): boolean => {
  const get = methods.get("get");
  return get !== undefined && get.endpoint.file === undefined && !get.endpoint.secret;
};

async function answer(
  endpoint: Endpoint,
  { deps, limiter, request, response, method, names }: Exchange & { method: Method; names: readonly string[] },
): Promise<void> {
  const context = contextOf(response);
  const principal =
    endpoint.access === "public" ? undefined : await admit(endpoint, { deps, limiter, request, response });
  if (principal === undefined) await limiter.countPublic(response, request.ip ?? "");

  const version = readVersion(request);
  const params = readParams(request, names);
  const query = parsePairs(queryOf(request.originalUrl));
  const takesBody = endpoint.body !== undefined || endpoint.list !== undefined;
  const body = takesBody ? await readJsonBody(request) : undefined;
  const upload = endpoint.upload && openUpload(request, endpoint.upload);

  const answering = endpoint.respond({
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
      content: () => upload?.digest() ?? canonicalJson(body),
    }),
    requireMatch: (data) => {
      requireMatch(request.headers["if-match"], data);
    },
    lastEventId: request.get("Last-Event-ID"),
    stillAdmitted: () => isStillAdmitted(endpoint, { deps, request }),
    requestId: context.id,
    log: context.log(),
    signal: context.signal,
  });
  const result = upload === undefined ? await answering : await upload.drainOnFailure(answering);
  if ("pieces" in result) await sendStream(response, result, { signal: context.signal() });
  else sendAnswer(response, result, { isCacheable: isCacheable(endpoint, method) });
}

/** Who is asking, let in and counted. Throws for everybody else. */
async function admit(endpoint: Endpoint, { deps, limiter, request, response }: Exchange): Promise<Principal> {
  const hash = readBearerToken(request.headers.authorization);
  limiter.refuseExhausted(response, hash);
  const principal = await authenticate(deps.db, { tokenHash: hash, clock: deps.clock });
  contextOf(response).who = whoOf(principal);
  await limiter.countToken(response, { hash, limit: rateLimitOf(principal) });
  await requireBoundCertificate(deps, request, principal);
  if (endpoint.access !== "public") requireAccess(principal, endpoint.access);
  for (const scope of scopesOf(endpoint)) requireScope(principal, scope);
  return principal;
}

/** Whether a request that was admitted would be admitted now. */
async function isStillAdmitted(
  { access }: Endpoint,
  { deps, request }: Pick<Exchange, "deps" | "request">,
): Promise<boolean> {
  if (access === "public") return true;
  try {
    const tokenHash = readBearerToken(request.headers.authorization);
    requireAccess(await authenticate(deps.db, { tokenHash, clock: deps.clock }), access);
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

/**
 * Answers a failure. Refusals are counted per address. Beyond the limit a 403 becomes a 429; a 401 stays one and says
 * when to try again, so that other clients at the same address still learn that they need another token.
 */
export async function refuse({
  request,
  response,
  limiter,
  thrown,
}: Omit<Exchange, "deps"> & { thrown: unknown }): Promise<void> {
  const { log } = contextOf(response);
  let error = asServiceError(thrown, log);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.status === 401 || error.status === 403) {
    const retryAfterSeconds = await limiter.countRefusal(response, request.ip ?? "");
    if (retryAfterSeconds !== undefined && error.status === 401) {
      response.setHeader("Retry-After", String(retryAfterSeconds));
    } else if (retryAfterSeconds !== undefined) {
      error = new ServiceError("too_many_requests", { retryAfterSeconds, cause: error });
    }
  }
  if (!response.hasHeader("X-Rate-Limit-Limit"))
    await limiter.countPublic(response, request.ip ?? "").catch(() => undefined);
  sendError(request, response, error);
  // Closed at once, the connection would be reset before the answer has been read, and a proxy would make it a 502.
  if (error.code === "payload_too_large") void takeLeftover(request).then(() => request.complete || request.destroy());
}
