import type { Deps } from "../../contract/deps.ts";
import type { Route } from "../../http/route.ts";
import { pageRoute } from "../../pages/page-route.ts";
import { consoleCallbackPath } from "./console-client.ts";
import { finishSignIn } from "./finish-sign-in.ts";
import { sessionRoutes } from "./session-routes.ts";
import { consoleSignInPath, startSignIn } from "./start-sign-in.ts";
import { staticRoutes } from "./static-routes.ts";

/** Returns the administration console's own routes: sign-in, session and files. */
export const consoleRoutes = (deps: Deps): Route[] => [
  pageRoute(deps, consoleSignInPath, { act: startSignIn }),
  pageRoute(deps, consoleCallbackPath, { act: finishSignIn }),
  ...sessionRoutes(deps),
  ...staticRoutes(deps),
];
