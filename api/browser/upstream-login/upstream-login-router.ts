import { Router } from "express";
import { upstreamCallbackPath } from "../../../runtime/addresses.ts";
import type { Deps } from "../../contract/deps.ts";
import { pageRoute } from "../pages/page-route.ts";
import { finishLogin } from "./finish-login.ts";
import { createProviders } from "./provider.ts";
import { startLogin } from "./start-login.ts";
import { createUpstreamFetch } from "./upstream-fetch.ts";

const timeoutMs = 5_000;

/** Signing in through the realm's identity provider: this service as an OpenID Connect client. */
export function createUpstreamLoginRouter(deps: Deps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const providers = createProviders(createUpstreamFetch({ timeoutMs: deps.settings.upstreamTimeoutMs ?? timeoutMs }));
  router.use(pageRoute(deps, "/login/upstream", { get: startLogin(providers) }));
  router.use(pageRoute(deps, upstreamCallbackPath, { get: finishLogin(providers) }));
  return router;
}
