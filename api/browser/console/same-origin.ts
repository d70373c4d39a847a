import type { Request } from "express";
import { ServiceError } from "../../../domain/errors.ts";
import type { Deps } from "../../contract/deps.ts";

/**
 * Other sites cannot make a browser send this header: the browser would need a CORS preflight, which the service does
 * not answer.
 */
const markHeader = "x-realmpass-console";

/**
 * Throws unless a request comes from a page of the console. The cookie alone proves nothing, since browsers add it
 * automatically. Streams and downloads cannot send the header; for them the browser's `Sec-Fetch-Site` counts.
 */
export function requireSameOrigin({ settings }: Pick<Deps, "settings">, request: Request): void {
  const { origin, "sec-fetch-site": site } = request.headers;
  const marked = request.headers[markHeader] === "1";
  const changesNothing = request.method === "GET" || request.method === "HEAD";
  const foreign =
    (origin !== undefined && origin !== new URL(settings.authUrl).origin) ||
    (site !== undefined && site !== "same-origin");
  const shown = marked || (changesNothing && site === "same-origin");
  if (foreign || !shown) {
    throw new ServiceError("forbidden", { description: "This request does not come from a page of the console." });
  }
}
