import { randomBytes } from "node:crypto";
import { ServiceError } from "../../../domain/errors.ts";
import type { Deps } from "../../contract/deps.ts";
import { assetPath } from "../../pages/parts/assets.ts";
import { pageRoute } from "../../pages/page-route.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { fileRoute } from "../../http/file-route.ts";
import { contextOf } from "../../http/request-context.ts";
import type { Exchange, Route } from "../../http/route.ts";
import { pathOn } from "../../pages/continue-to.ts";
import { openConsoleFiles, type ConsoleFiles } from "./console-files.ts";

const assetsPath = "/console/assets/";

/**
 * Every address of the console except its API and its assets. The regular expression's group makes Express decode the
 * path and refuse invalid escapes.
 */
const pagePaths = /^\/console(?:\/((?!(?:api|assets)(?:\/|$)).*))?$/;

/** Returns the routes of the console's files: one page at all addresses of the console, and that page's assets. */
export function staticRoutes(deps: Deps): Route[] {
  const files = openConsoleFiles(deps.settings.consoleFolder);
  const sendAsset = async ({ request, response }: Exchange): Promise<void> => {
    const file = await files.asset(request.path.slice(assetsPath.length), request.get("Accept-Encoding") ?? "");
    if (file === undefined) throw new ServiceError("not_found");
    response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
    response.setHeader("Vary", "Accept-Encoding");
    if (file.encoding !== undefined) response.setHeader("Content-Encoding", file.encoding);
    response.setHeader("Content-Type", file.type);
    response.setHeader("Content-Length", file.bytes.length);
    response.end(file.bytes);
  };
  const show = (page: PageRequest): Promise<void> => sendConsole(page, files);
  return [
    fileRoute(/^\/console\/assets\//, sendAsset, `${assetsPath}:name`),
    { ...pageRoute(deps, "/console{/*path}", { get: show }), path: pagePaths },
  ];
}

/** Sends the console's page even to users who are not signed in: the page redirects to sign-in, and back afterwards. */
async function sendConsole({ deps, request, response }: PageRequest, files: ConsoleFiles): Promise<void> {
  const page = await files.page();
  if (page === undefined) {
    contextOf(response).log().error({ event: "console.not_built" }, "there is no console; `npm run build` builds it");
    sendProblem({ deps, request, response }, "console_missing");
    return;
  }
  const nonce = randomBytes(16).toString("base64url");
  const settings = new Map([
    ["__CSP_NONCE__", nonce],
    ["__BASE__", pathOn(deps, "")],
    ["__ICON__", assetPath(deps, "icon")],
  ]);
  const bytes = Buffer.from(page.replace(/__CSP_NONCE__|__BASE__|__ICON__/g, (name) => settings.get(name) ?? ""));
  response.statusCode = 200;
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.setHeader("Content-Length", bytes.length);
  response.setHeader("Content-Security-Policy", contentSecurityPolicy(nonce));
  response.end(bytes);
}

/**
 * Returns the page's Content-Security-Policy. Scripts, style sheets and fonts come only from the service. Images may
 * come from any host over https: the settings preview a logo.
 */
const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");
