import { createHash } from "node:crypto";
import { ServiceError } from "../../../domain/errors.ts";
import type { Deps } from "../../contract/deps.ts";
import { fileRoute } from "../../http/file-route.ts";
import type { Route } from "../../http/route.ts";
import { pathOn } from "../continue-to.ts";
import { stylesheet } from "./stylesheet.ts";

/** A shield with the waves of a wireless network. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3b5bdb"/><g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"><path d="M6 14a14 14 0 0 1 20 0M11 19a7 7 0 0 1 10 0"/></g><circle cx="16" cy="24" r="2" fill="#fff"/></svg>`;

const asset = (kind: string, type: string, text: string) => {
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  return {
    name: kind.replace("*", hash),
    type,
    bytes: Buffer.from(text),
    pattern: new RegExp(`^${kind.replace("*", "[\\w-]{16}")}$`),
  };
};

const assets = {
  stylesheet: asset("pages-*.css", "text/css; charset=utf-8", withoutBlanks(stylesheet)),
  icon: asset("icon-*.svg", "image/svg+xml", icon),
} as const;

/** Returns the address of a file that every page loads. The address changes with the file's content. */
export const assetPath = (deps: Pick<Deps, "settings">, name: keyof typeof assets): string =>
  pathOn(deps, `/assets/${assets[name].name}`);

/**
 * Serves the pages' assets, cached as immutable. While another version of the service is running, its pages may request
 * an asset under that version's hash: they get this version's asset, with `no-cache`.
 */
export const assetRoute: Route = fileRoute("/assets/:name", ({ request, response }) => {
  const name = String(request.params["name"]);
  const found = Object.values(assets).find(({ pattern }) => pattern.test(name));
  if (found === undefined) throw new ServiceError("not_found");
  response.setHeader("Cache-Control", found.name === name ? "public, max-age=31536000, immutable" : "no-cache");
  response.setHeader("Content-Type", found.type);
  response.setHeader("Content-Length", found.bytes.length);
  response.end(found.bytes);
});

/** Returns the style sheet without the white space that only readers need. */
function withoutBlanks(css: string): string {
  return css
    .trim()
    .replace(/\s*([{};])\s*/g, "$1")
    .replace(/([,:])\s+/g, "$1");
}
