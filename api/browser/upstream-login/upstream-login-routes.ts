import { upstreamCallbackPath, upstreamStartPath } from "../../../runtime/config/addresses.ts";
import type { Deps } from "../../contract/deps.ts";
import type { Route } from "../../http/route.ts";
import { pageRoute } from "../../pages/page-route.ts";
import { finishLogin } from "./finish-login.ts";
import { createProvidersOfRealms } from "./providers-of-realms.ts";
import { startLogin } from "./start-login.ts";

/** Returns the routes for sign-in through the realm's identity provider: this service is the OpenID Connect client. */
export function upstreamLoginRoutes(deps: Deps): Route[] {
  const providers = createProvidersOfRealms(deps.settings);
  return [
    pageRoute(deps, upstreamStartPath, { act: startLogin(providers) }),
    pageRoute(deps, upstreamCallbackPath, { act: finishLogin(providers) }),
  ];
}
