import { Router, type Request, type Response } from "express";
import type { Deps } from "../contract/deps.ts";
import type { RateLimiter } from "../http/rate-limit.ts";
import { contextOf } from "../http/request-context.ts";
import { sendJson } from "../http/respond.ts";
import { asOAuthError, sendOAuthError } from "./oauth-error.ts";

export interface OAuthCall {
  deps: Deps;
  limiter: RateLimiter;
  request: Request;
  response: Response;
}

/** A path that clients call, with errors in the words of RFC 6749. `handle` answers by itself or throws. */
export function oauthRoute(
  { deps, limiter }: Pick<OAuthCall, "deps" | "limiter">,
  { path, methods, handle }: { path: string; methods: readonly string[]; handle: (call: OAuthCall) => Promise<void> },
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  router.all(path, async (request, response) => {
    const context = contextOf(response);
    context.route = path;
    response.setHeader("Pragma", "no-cache");
    try {
      await limiter.countPublic(response, request.ip ?? "");
      if (!methods.includes(request.method === "HEAD" ? "GET" : request.method)) {
        response.setHeader("Allow", allow);
        sendJson(response, 405, {
          error: "invalid_request",
          error_description: `This endpoint takes ${methods.join(" and ")} only.`,
        });
        return;
      }
      await handle({ deps, limiter, request, response });
    } catch (thrown) {
      sendOAuthError(response, asOAuthError(thrown, context.log));
    }
  });
  return router;
}
