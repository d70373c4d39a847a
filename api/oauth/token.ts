import type { RequestHandler } from "express";
import { DatabaseUnavailable } from "../../db/outage.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { Log } from "../../runtime/log.ts";
import type { Deps } from "../deps.ts";
import type { RateLimiter } from "../rate-limit.ts";
import { contextOf } from "../request-context.ts";
import { sendJson } from "../respond.ts";
import { readForm, required } from "./form.ts";
import { clientCredentials } from "./grants/client-credentials.ts";
import type { Grant } from "./grants/grant.ts";
import { OAuthError, sendOAuthError } from "./oauth-error.ts";

/** A Map, so that no name that every object has is a grant type. */
const grants: ReadonlyMap<string, Grant> = new Map([["client_credentials", clientCredentials]]);

/** `POST /oauth/token` (RFC 6749 section 3.2). */
export function createTokenEndpoint(deps: Deps, limiter: RateLimiter): RequestHandler {
  return async (request, response) => {
    const context = contextOf(response);
    context.route = "/oauth/token";
    response.setHeader("Pragma", "no-cache");
    try {
      await limiter.countPublic(response, request.ip ?? "");
      if (request.method !== "POST") {
        response.setHeader("Allow", "POST, OPTIONS");
        sendJson(response, 405, { error: "invalid_request", error_description: "The token endpoint takes POST only." });
        return;
      }
      const form = await readForm(request);
      const grant = grants.get(required(form, "grant_type"));
      if (grant === undefined) throw new OAuthError("unsupported_grant_type");
      sendJson(response, 200, await grant({ deps, form, authorization: request.headers.authorization }));
    } catch (thrown) {
      sendOAuthError(response, asOAuthError(thrown, context.log));
    }
  };
}

/** What was thrown, in the words of RFC 6749. */
function asOAuthError(thrown: unknown, log: () => Log): OAuthError {
  if (thrown instanceof OAuthError) return thrown;
  if (thrown instanceof DatabaseUnavailable) {
    log().warn({ event: "database.unavailable", err: thrown.cause }, "the database is away");
    return new OAuthError("temporarily_unavailable", { cause: thrown });
  }
  if (thrown instanceof ServiceError && thrown.code === "too_many_requests") return new OAuthError("slow_down");
  log().error({ event: "request.failed", err: thrown }, "something unexpected was thrown");
  return new OAuthError("server_error", { cause: thrown });
}
