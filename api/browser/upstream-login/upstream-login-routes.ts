import { upstreamCallbackPath } from "../../../runtime/config/addresses.ts";
import type { Deps } from "../../contract/deps.ts";
import type { Route } from "../../http/route.ts";
import { pageRoute } from "../../pages/page-route.ts";
import { finishLogin } from "./finish-login.ts";
import { createProviders } from "./provider.ts";
import { startLogin } from "./start-login.ts";
import { createUpstreamFetch } from "./upstream-fetch.ts";

const timeoutMs = 5_000;

/** Returns the routes for sign-in through the realm's identity provider: this service is the OpenID Connect client. */
export function upstreamLoginRoutes(deps: Deps): Route[] {
  const providers = createProviders(createUpstreamFetch({ timeoutMs: deps.settings.upstreamTimeoutMs ?? timeoutMs }));
  return [
    pageRoute(deps, "/login/upstream", { get: startLogin(providers) }),
    pageRoute(deps, upstreamCallbackPath, { get: finishLogin(providers) }),
  ];
}
