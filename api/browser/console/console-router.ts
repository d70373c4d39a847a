import { Router } from "express";
import type { Deps } from "../../contract/deps.ts";
import { pageRoute } from "../pages/page-route.ts";
import { consoleCallbackPath } from "./console-client.ts";
import { finishSignIn } from "./finish-sign-in.ts";
import { createSessionRoutes } from "./session-routes.ts";
import { consoleSignInPath, startSignIn } from "./start-sign-in.ts";
import { createStaticRoutes } from "./static-routes.ts";

/** The administration console's own part of the service: signing in, its session, and its files. */
export function createConsoleRouter(deps: Deps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(pageRoute(deps, consoleSignInPath, { get: startSignIn }));
  router.use(pageRoute(deps, consoleCallbackPath, { get: finishSignIn }));
  router.use(createSessionRoutes(deps));
  router.use(createStaticRoutes(deps));
  return router;
}
