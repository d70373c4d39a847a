import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";
import type { Deps } from "../../contract/deps.ts";
import { readCookie, setCookie } from "./cookies.ts";
import { subKeys } from "../../../runtime/sub-key.ts";

type FormDeps = Pick<Deps, "masterKeys" | "settings">;

/** What was drawn for a browser that had none yet: all forms of one page are of the same browser. */
const drawn = new WeakMap<Response, string>();

/** The token in each form that shows that the service sent it, bound to the browser by a cookie. */
export function formTokenFor(
  deps: FormDeps,
  { request, response }: { request: Pick<Request, "headers">; response: Response },
): string {
  let browser = readCookie(deps, request, "form") ?? drawn.get(response);
  if (browser === undefined) {
    browser = randomBytes(24).toString("base64url");
    drawn.set(response, browser);
    setCookie(deps, response, { name: "form", value: browser });
  }
  const [token = ""] = tokensOf(deps, browser);
  return token;
}

/** The token of a browser; more than one while the master key is being replaced. */
const tokensOf = ({ masterKeys }: FormDeps, browser: string): string[] =>
  subKeys(masterKeys, "formToken").map((key) => createHmac("sha256", key).update(browser).digest("base64url"));

/**
 * Whether a form was sent from a page of the service in the same browser: checks its token, and `Origin` and
 * `Sec-Fetch-Site` if the browser sends them.
 */
export function verifyFormToken(deps: FormDeps, request: Pick<Request, "headers">, token: string | undefined): boolean {
  const { origin, "sec-fetch-site": site } = request.headers;
  // A page that names no referrer has the origin `null` (Fetch, section 3.2): that says nothing.
  if (typeof origin === "string" && origin !== "null" && origin !== new URL(deps.settings.authUrl).origin) return false;
  if (typeof site === "string" && site !== "same-origin" && site !== "none") return false;
  const browser = readCookie(deps, request, "form");
  if (browser === undefined || token === undefined) return false;
  const given = Buffer.from(token);
  return tokensOf(deps, browser)
    .map((wanted) => Buffer.from(wanted))
    .some((wanted) => given.length === wanted.length && timingSafeEqual(given, wanted));
}
