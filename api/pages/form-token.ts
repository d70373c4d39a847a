import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";
import type { Deps } from "../contract/deps.ts";
import { readCookie, setCookie } from "./cookies.ts";
import { subKeys } from "../../runtime/keys/sub-key.ts";

type FormDeps = Pick<Deps, "masterKeys" | "settings">;

/** The value that was drawn for a browser without a cookie: all forms of a response share the value. */
const drawn = new WeakMap<Response, string>();

/** Returns the form token, which proves that the service sent the form; a cookie binds the token to the browser. */
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

/** Returns a browser's tokens; more than one while the master key is being replaced. */
const tokensOf = ({ masterKeys }: FormDeps, browser: string): string[] =>
  subKeys(masterKeys, "formToken").map((key) => createHmac("sha256", key).update(browser).digest("base64url"));

/**
 * Returns whether a form was sent from a page of the service in the same browser: checks its token, and `Origin` and
 * `Sec-Fetch-Site` if the browser sends them.
 */
export function verifyFormToken(deps: FormDeps, request: Pick<Request, "headers">, token: string | undefined): boolean {
  const { origin, "sec-fetch-site": site } = request.headers;
  // A page without a referrer has the origin `null` (Fetch, section 3.2), which proves nothing.
  if (typeof origin === "string" && origin !== "null" && origin !== new URL(deps.settings.authUrl).origin) return false;
  if (typeof site === "string" && site !== "same-origin" && site !== "none") return false;
  const browser = readCookie(deps, request, "form");
  if (browser === undefined || token === undefined) return false;
  const given = Buffer.from(token);
  return tokensOf(deps, browser)
    .map((wanted) => Buffer.from(wanted))
    .some((wanted) => given.length === wanted.length && timingSafeEqual(given, wanted));
}
