import type { Deps } from "../contract/deps.ts";
import type { Route } from "../http/route.ts";
import { oauthErrors } from "../oauth/oauth-route.ts";
import { pageRoute } from "../pages/page-route.ts";
import { findRealm } from "./app-realm.ts";
import { authorizeApp, decideApp } from "./authorize.ts";
import { showBase } from "./base.ts";
import { sendFile } from "./file.ts";
import { fileErrors } from "./file-error.ts";
import { redeemCode } from "./token.ts";

/**
 * Returns a path below the apps' address of every realm. The final slash is optional: a redirected POST would lose its
 * method.
 */
const below = (path: string): { pattern: RegExp; name: string } => ({
  pattern: new RegExp(`^/letswifi/([a-z0-9-]{1,63})${path}/?$`),
  name: `/letswifi/:realm${path}/`,
});

/**
 * Returns the routes of the geteduroam apps, by letswifi's protocol. In realms without apps they respond as unknown
 * addresses do.
 */
export const appsRoutes = (deps: Deps): Route[] =>
  [
    pageRoute(deps, below(""), { get: showBase }),
    pageRoute(deps, below("/oauth/authorize"), { act: authorizeApp, post: decideApp }),
    route(below("/oauth/token"), { errors: oauthErrors, handle: (exchange) => redeemCode(deps, exchange) }),
    route(below("/api/eap-config"), { errors: fileErrors, handle: (exchange) => sendFile(deps, exchange) }),
  ].map((each) => ({ ...each, exists: findRealm(deps) }));

const route = (
  { pattern, name }: { pattern: RegExp; name: string },
  { errors, handle }: Pick<Route, "errors" | "handle">,
): Route => ({ path: pattern, name, methods: ["POST"], limit: "address", errors, handle });
