import type { Request, Response } from "express";
import type { Deps } from "../contract/deps.ts";

type Settings = Pick<Deps, "settings">;

/**
 * Our cookies. `__Host-` binds a cookie to this host and to https; on a trial without https, browsers refuse the
 * prefix.
 */
export type CookieName =
  "login" | "form" | "upstream" | "language" | "pickup" | "console" | "console-sign-in" | "new-device" | "device";

const wireName = ({ settings }: Settings, name: CookieName): string =>
  settings.authUrl.startsWith("https:") ? `__Host-realmpass-${name}` : `realmpass-${name}`;

/**
 * Returns the longest permitted value of a cookie. Three cookies hold sealed content, within browsers' limits; the
 * others are random or a single word.
 */
const lengthMax = (name: CookieName): number =>
  name === "upstream" ? 3_900 : name === "console-sign-in" ? 2_500 : name === "new-device" ? 1_000 : 200;

/** Returns whether a value is short enough to be read back. */
export const fitsCookie = (name: CookieName, value: string): boolean => value.length <= lengthMax(name);

/**
 * Returns the value of one of our cookies; undefined if the browser sent none, or one that is too long or malformed.
 */
export function readCookie(deps: Settings, request: Pick<Request, "headers">, name: CookieName): string | undefined {
  const prefix = `${wireName(deps, name)}=`;
  const pair = (request.headers.cookie ?? "")
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  const value = pair?.slice(prefix.length);
  return value !== undefined && fitsCookie(name, value) && /^[\w.-]+$/.test(value) ? value : undefined;
}

/**
 * Sets a cookie for this host only, hidden from scripts. `maxAgeSeconds` omitted: until the browser closes; 0: removes
 * it.
 */
export function setCookie(
  deps: Settings,
  response: Response,
  { name, value, maxAgeSeconds }: { name: CookieName; value: string; maxAgeSeconds?: number },
): void {
  const secure = deps.settings.authUrl.startsWith("https:") ? "; Secure" : "";
  const maxAge = maxAgeSeconds === undefined ? "" : `; Max-Age=${maxAgeSeconds}`;
  response.appendHeader(
    "Set-Cookie",
    `${wireName(deps, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${maxAge}`,
  );
}

export const removeCookie = (deps: Settings, response: Response, name: CookieName): void => {
  setCookie(deps, response, { name, value: "", maxAgeSeconds: 0 });
};
