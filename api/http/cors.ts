import type { Request, RequestHandler, Response } from "express";
import type { RateLimiter } from "./rate-limit.ts";

/**
 * Paths that browser clients call from their own origins. They never include the pages on which users sign in and
 * approve.
 */
const crossOriginPaths =
  /^(?:\/api(?:\/|$)|\/oauth\/(?:token|jwks|revoke|userinfo)$|\/\.well-known\/(?:openid-configuration|oauth-authorization-server)(?:\/|$)|\/openapi\.json$)/;

const allowedMethods = "GET, HEAD, POST, PUT, DELETE";
const allowedHeaders = "Authorization, Content-Type, x-api-version, Idempotency-Key, Prefer";
const exposedHeaders =
  "Location, Retry-After, X-Request-Id, X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset";

/**
 * Allows every origin on `crossOriginPaths`, without credentials: access depends only on the token, which browsers
 * never add automatically.
 */
export function cors(limiter: RateLimiter): RequestHandler {
  return (request, response, next) => {
    if (!crossOriginPaths.test(request.path)) {
      next();
      return;
    }
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Expose-Headers", exposedHeaders);
    if (request.method === "OPTIONS") answerPreflight(request, response, limiter).catch(next);
    else next();
  };
}

async function answerPreflight(request: Request, response: Response, limiter: RateLimiter): Promise<void> {
  await limiter.countPublic(response, request.ip ?? "");
  response.setHeader("Access-Control-Allow-Methods", allowedMethods);
  response.setHeader("Access-Control-Allow-Headers", allowedHeaders);
  response.setHeader("Access-Control-Max-Age", "7200");
  response.statusCode = 204;
  response.end();
}
