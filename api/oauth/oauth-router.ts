import { Router } from "express";
import type { Deps } from "../contract/deps.ts";
import { pageRoute } from "../browser/pages/page-route.ts";
import { sendProblem } from "../browser/pages/problem.tsx";
import { parsePairs } from "../http/query-string.ts";
import type { RateLimiter } from "../http/rate-limit.ts";
import { verifyFormToken } from "../browser/pages/form-token.ts";
import { authorize, decide } from "./authorize.ts";
import { introspect } from "./introspect.ts";
import { jwks } from "./jwks.ts";
import { logout } from "./logout.ts";
import { metadata, metadataPaths } from "./metadata.ts";
import { oauthRoute, type OAuthCall } from "./oauth-route.ts";
import { revoke } from "./revoke.ts";
import { token } from "./token.ts";
import { userinfo } from "./userinfo.ts";

/** The authorization server: what clients call, and what people see of it. */
export function createOAuthRouter(deps: Deps, limiter: RateLimiter): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const called = (path: string, methods: readonly string[], handle: (call: OAuthCall) => Promise<void>): void => {
    router.use(oauthRoute({ deps, limiter }, { path, methods, handle }));
  };
  called("/oauth/token", ["POST"], token);
  called("/oauth/revoke", ["POST"], revoke);
  called("/oauth/introspect", ["POST"], introspect);
  called("/oauth/userinfo", ["GET", "POST"], userinfo);
  called("/oauth/jwks", ["GET"], jwks);
  for (const path of metadataPaths(deps)) called(path, ["GET"], metadata);

  router.use(pageRoute(deps, "/oauth/authorize", { get: authorize }));
  router.use(
    pageRoute(deps, "/oauth/consent", {
      async post(page) {
        if (verifyFormToken(deps, page.request, page.form.get("form_token"))) {
          await decide(page, parsePairs(page.form.get("authorization") ?? ""));
        } else {
          sendProblem(page, "form_expired");
        }
      },
    }),
  );
  router.use(pageRoute(deps, "/oauth/logout", { get: logout }));
  return router;
}
