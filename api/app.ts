import type { IncomingMessage, RequestListener } from "node:http";
import express, { type ErrorRequestHandler } from "express";
import { publicationTarget } from "../domain/certificate/publication-target.ts";
import { parseTrustedProxies } from "../runtime/config/networks.ts";
import { appsRoutes } from "./apps/apps-routes.ts";
import { createConsoleApi } from "./browser/console/console-api.ts";
import { sendNotFound } from "./pages/not-found.ts";
import { consoleRoutes } from "./browser/console/console-routes.ts";
import { cors } from "./http/cors.ts";
import type { Deps } from "./contract/deps.ts";
import { docsRoutes } from "./browser/docs/docs-routes.tsx";
import { endpoints } from "./endpoints.ts";
import { openApiRoute } from "./openapi-route.ts";
import { logoRoute } from "./browser/logo/logo-route.ts";
import { oauthRoutes } from "./oauth/oauth-routes.ts";
import { publicationRoutes } from "./publication/publication-routes.ts";
import { ocspRoute, type OcspRoute } from "./publication/ocsp-proxy.ts";
import { problemErrors } from "./http/error-response.ts";
import { createRateLimiter } from "./http/rate-limit.ts";
import { beginRequest } from "./http/request-context.ts";
import { setSecurityHeaders } from "./http/respond.ts";
import { answerRoute, mountRoutes, type Route } from "./http/route.ts";
import { endpointRoutes } from "./contract/router.ts";
import { scimRoutes } from "./scim/scim-routes.ts";
import { selfServiceRoutes } from "./browser/self-service/self-service-routes.ts";
import { signInRoutes } from "./browser/sign-in/sign-in-routes.ts";
import { upstreamLoginRoutes } from "./browser/upstream-login/upstream-login-routes.ts";

/**
 * Creates the API's listener. Every request gets its context and the standard headers. OCSP requests then skip Express,
 * whose layers would take longer than all the rest of the work, but run the same handler as a route of Express.
 */
export function createApp(deps: Deps): RequestListener {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  app.set("trust proxy", parseTrustedProxies(deps.settings.trustedProxies));

  const limiter = createRateLimiter(deps.settings.rateLimits);
  const https = deps.settings.baseUrl.startsWith("https:");

  const [ocsp, ...routes] = routesOf(deps);

  app.use(cors(limiter));
  app.use(createConsoleApi(deps));
  app.use(mountRoutes(routes, limiter));
  app.use(async (request, response) => {
    const address = request.ip ?? "";
    await limiter.countPublic(response, address);
    await sendNotFound(deps, { request, response, limiter, address });
  });
  const onError: ErrorRequestHandler = (thrown, request, response, _next) =>
    problemErrors.send({ request, response, limiter, address: request.ip ?? "" }, thrown);
  app.use(onError);

  /** Returns the client's address as Express finds it, for a request that bypasses Express. */
  const addressOf = ({ headers, socket }: IncomingMessage): string =>
    Reflect.get(express.request, "ip", { app, headers, socket }) ?? "";

  const begin = beginRequest(deps);
  return (request, response) => {
    request.url = publicationTarget(request.url ?? "");
    begin(request, response);
    setSecurityHeaders(response, { https: https && !isForPlainHttp(request.url) });
    if (!ocsp.path.test(request.url)) {
      app(request, response);
      return;
    }
    const exchange = { request, response, limiter, address: addressOf(request) };
    answerRoute(ocsp, exchange).catch((thrown: unknown) => problemErrors.send(exchange, thrown));
  };
}

/** Returns whether the path is fetched without TLS: HSTS must not be sent over plain http (RFC 6797 section 7.2). */
const isForPlainHttp = (url: string): boolean => /^\/(?:crl|ca|ocsp)(?:\/|$)/.test(url);

/** Returns every route: the OCSP route, which bypasses Express, then Express's routes, the most frequent first. */
export const routesOf = (deps: Deps): [OcspRoute, ...Route[]] => [
  ocspRoute(deps),
  ...endpointRoutes(endpoints, deps),
  ...publicationRoutes(deps),
  ...oauthRoutes(deps),
  ...scimRoutes(deps),
  ...signInRoutes(deps),
  logoRoute(deps),
  ...consoleRoutes(deps),
  ...upstreamLoginRoutes(deps),
  ...selfServiceRoutes(deps),
  ...appsRoutes(deps),
  openApiRoute(deps),
  ...docsRoutes(deps, endpoints),
];
