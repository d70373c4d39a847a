import type { Deps } from "../contract/deps.ts";
import { contextOf } from "../http/request-context.ts";
import type { ErrorFormat, Exchange, Route } from "../http/route.ts";
import { asOAuthError, sendOAuthError } from "./oauth-error.ts";

export interface OAuthCall extends Exchange {
  deps: Deps;
}

/** Returns a route for clients, with errors in the format of RFC 6749. `handle` responds itself or throws. */
export function oauthRoute(
  deps: Deps,
  { path, methods, handle }: { path: string; methods: readonly string[]; handle: (call: OAuthCall) => Promise<void> },
): Route {
  return {
    path,
    name: path,
    methods: [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"],
    limit: "address",
    errors: oauthErrors,
    handle(exchange) {
      exchange.response.setHeader("Pragma", "no-cache");
      return handle({ ...exchange, deps });
    },
  };
}

/** The error format of RFC 6749. Errors in this format are never cached. */
export const oauthErrors: ErrorFormat = {
  name: "oauth",
  send({ response }, thrown) {
    response.setHeader("Pragma", "no-cache");
    sendOAuthError(response, asOAuthError(thrown, contextOf(response).log));
  },
};
