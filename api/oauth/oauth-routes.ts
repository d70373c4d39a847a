import type { Deps } from "../contract/deps.ts";
import { pathOn } from "../pages/continue-to.ts";
import { redirect } from "../pages/redirect.ts";
import { pageRoute, type PageHandler } from "../pages/page-route.ts";
import { sendProblem } from "../pages/problem.tsx";
import { parsePairs } from "../http/query-string.ts";
import type { Route } from "../http/route.ts";
import { verifyFormToken } from "../pages/form-token.ts";
import { authorize, decide } from "./authorize.ts";
import { introspect } from "./introspect.ts";
import { jwks } from "./jwks.ts";
import { logout, logoutAgreed } from "./logout.ts";
import { metadata, metadataPaths } from "./metadata.ts";
import { oauthRoute } from "./oauth-route.ts";
import { revoke } from "./revoke.ts";
import { token } from "./token.ts";
import { userinfo } from "./userinfo.ts";

/** Returns the authorization server's routes: endpoints for clients and pages for users. */
export const oauthRoutes = (deps: Deps): Route[] => [
  oauthRoute(deps, { path: "/oauth/token", methods: ["POST"], handle: token }),
  oauthRoute(deps, { path: "/oauth/revoke", methods: ["POST"], handle: revoke }),
  oauthRoute(deps, { path: "/oauth/introspect", methods: ["POST"], handle: introspect }),
  oauthRoute(deps, { path: "/oauth/userinfo", methods: ["GET", "POST"], handle: userinfo }),
  oauthRoute(deps, { path: "/oauth/jwks", methods: ["GET"], handle: jwks }),
  ...metadataPaths(deps).map((path) => oauthRoute(deps, { path, methods: ["GET"], handle: metadata })),

  pageRoute(deps, "/oauth/authorize", { act: authorize, post: asGet("/oauth/authorize") }),
  pageRoute(deps, "/oauth/consent", {
    async post(page) {
      if (verifyFormToken(deps, page.request, page.form.get("form_token"))) {
        await decide(page, parsePairs(page.form.get("authorization") ?? ""));
      } else {
        sendProblem(page, "form_expired");
      }
    },
  }),
  pageRoute(deps, "/oauth/logout", { act: logout, post: asGet("/oauth/logout") }),
  pageRoute(deps, "/oauth/logout/agreed", { post: logoutAgreed }),
];

/**
 * Redirects a POST to the same request as a GET (OpenID Connect Core section 3.1.2.1). On the GET the browser sends its
 * cookies, which it withholds from another site's POST.
 */
const asGet =
  (path: string): PageHandler =>
  (page) => {
    redirect(page, pathOn(page.deps, `${path}?${new URLSearchParams([...page.form]).toString()}`));
  };
