import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { ServiceError } from "../domain/errors.ts";
import { parseTrustedProxies } from "../runtime/networks.ts";
import { createConsoleApi } from "./browser/console/console-api.ts";
import { createConsoleRouter } from "./browser/console/console-router.ts";
import { cors } from "./http/cors.ts";
import type { Deps } from "./contract/deps.ts";
import { createDocsRouter } from "./browser/docs/docs-router.tsx";
import { endpoints } from "./endpoints.ts";
import { serveOpenApiDocument } from "./openapi-served.ts";
import { logosPath } from "./browser/pages/logo-path.ts";
import { createLogoRouter } from "./browser/logo/logo-router.ts";
import { createOAuthRouter } from "./oauth/oauth-router.ts";
import { createPublicationRouter } from "./publication/publication-router.ts";
import { createOcspProxy } from "./publication/ocsp-proxy.ts";
import { createRateLimiter } from "./http/rate-limit.ts";
import { beginRequest } from "./http/request-context.ts";
import { setSecurityHeaders } from "./http/respond.ts";
import { createRouter, refuse } from "./contract/router.ts";
import { createSelfServiceRouter, selfServicePaths } from "./browser/self-service/self-service-router.ts";
import { createSignInRouter } from "./browser/sign-in/sign-in-router.ts";
import { createUpstreamLoginRouter } from "./browser/upstream-login/upstream-login-router.ts";

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
  const counted: RequestHandler = async (request, response, next) => {
    await limiter.countPublic(response, request.ip ?? "");
    next();
  };
  app.options(/.*/, counted);
  app.use(cors);
  app.use("/ocsp", createOcspProxy(deps, limiter));
  app.use(createConsoleApi(deps));
  app.use(createRouter(endpoints, deps, limiter));
  app.all("/", counted);
  app.use(
    [
      "/console",
      "/login",
      "/sign-in",
      "/assets",
      "/oauth/authorize",
      "/oauth/consent",
      "/oauth/logout",
      "/openapi.json",
      "/docs",
    ],
    counted,
  );
  app.use(["/crl", "/ca", logosPath, ...selfServicePaths], counted);
  app.use(createPublicationRouter(deps));
  app.use(createOAuthRouter(deps, limiter));
  app.use(createSignInRouter(deps));
  app.use(createLogoRouter(deps));
  app.use(createConsoleRouter(deps));
  app.use(createUpstreamLoginRouter(deps));
  app.use(createSelfServiceRouter(deps));
  app.get("/openapi.json", serveOpenApiDocument(deps));
  app.use(createDocsRouter(deps, endpoints));
  app.use(() => {
    throw new ServiceError("not_found");
  });
  const onError: ErrorRequestHandler = (thrown, request, response, _next) =>
    refuse({ request, response, limiter, thrown });
  app.use(onError);
  return app;
}
