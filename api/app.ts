import express, { type ErrorRequestHandler, type Express } from "express";
import { ServiceError } from "../domain/errors.ts";
import { parseTrustedProxies } from "../runtime/networks.ts";
import { createConsoleApi } from "./browser/console/console-api.ts";
import { consoleRoutes } from "./browser/console/console-routes.ts";
import { cors } from "./http/cors.ts";
import type { Deps } from "./contract/deps.ts";
import { docsRoutes } from "./browser/docs/docs-routes.tsx";
import { endpoints } from "./endpoints.ts";
import { openApiRoute } from "./openapi-route.ts";
import { logoRoute } from "./browser/logo/logo-route.ts";
import { oauthRoutes } from "./oauth/oauth-routes.ts";
import { publicationRoutes } from "./publication/publication-routes.ts";
import { ocspRoute } from "./publication/ocsp-proxy.ts";
import { problemErrors } from "./http/error-response.ts";
import { createRateLimiter } from "./http/rate-limit.ts";
import { beginRequest } from "./http/request-context.ts";
import { setSecurityHeaders } from "./http/respond.ts";
import { mountRoutes, type Route } from "./http/route.ts";
import { endpointRoutes } from "./contract/router.ts";
import { selfServiceRoutes } from "./browser/self-service/self-service-routes.ts";
import { signInRoutes } from "./browser/sign-in/sign-in-routes.ts";
import { upstreamLoginRoutes } from "./browser/upstream-login/upstream-login-routes.ts";

/** The API as an Express application. */
export function createApp(deps: Deps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  app.set("trust proxy", parseTrustedProxies(deps.settings.trustedProxies));

  const limiter = createRateLimiter(deps.settings.rateLimits);
  const https = deps.settings.baseUrl.startsWith("https:");

  app.use(beginRequest(deps));
  app.use((_, response, next) => {
    setSecurityHeaders(response, { https });
    next();
  });
  app.use(cors(limiter));
  app.use(createConsoleApi(deps));
  app.use(mountRoutes(routesOf(deps), limiter));
  app.use(async (request, response) => {
    await limiter.countPublic(response, request.ip ?? "");
    throw new ServiceError("not_found");
  });
  const onError: ErrorRequestHandler = (thrown, request, response, _next) =>
    problemErrors.send({ request, response, limiter }, thrown);
  app.use(onError);
  return app;
}

/** Every path that is answered, the most wanted first. */
export const routesOf = (deps: Deps): Route[] => [
  ocspRoute(deps),
  ...endpointRoutes(endpoints, deps),
  ...publicationRoutes(deps),
  ...oauthRoutes(deps),
  ...signInRoutes(deps),
  logoRoute(deps),
  ...consoleRoutes(deps),
  ...upstreamLoginRoutes(deps),
  ...selfServiceRoutes(deps),
  openApiRoute(deps),
  ...docsRoutes(deps, endpoints),
];
