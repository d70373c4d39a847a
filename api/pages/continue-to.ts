import type { Deps } from "../contract/deps.ts";

/** Returns the path of a page as browsers must request it: below the authorization server's address. */
export const pathOn = ({ settings }: Pick<Deps, "settings">, path: string): string =>
  `${new URL(settings.authUrl).pathname.replace(/\/$/, "")}${path}`;

/** Plain segments: not empty, without a leading dot, without escapes. */
const segments = String.raw`(?:/[\w~-][\w.~-]*)*/?`;

/** A query of visible ASCII characters without the backslash, which browsers read as a slash. */
const query = String.raw`\?[!-[\]-~]*`;

/** The addresses where a sign-in may continue. Any other address would make this an open redirector. */
const places = [
  new RegExp(`^/oauth/authorize${query}$`),
  new RegExp(`^/letswifi/[a-z0-9-]{1,63}/oauth/authorize/?${query}$`),
  new RegExp(`^/me${segments}(?:${query})?$`),
  new RegExp(`^/console/sign-in(?:${query})?$`),
];

/** Returns the path to continue at after sign-in, if it is a known page of the service; otherwise undefined. */
export const continueTo = (path: string | undefined): string | undefined =>
  path !== undefined && places.some((place) => place.test(path)) ? path : undefined;

const consolePlace = new RegExp(`^/console${segments}(?:${query})?$`);
const notAPage = /^\/console\/(?:api|assets|callback|session|sign-in|sign-out)(?:[/?]|$)/;

/** Returns the path if it is a page of the console to continue at; undefined otherwise. */
export const consolePage = (path: string | undefined): string | undefined =>
  path !== undefined && consolePlace.test(path) && !notAPage.test(path) ? path : undefined;

/**
 * Returns the address of the sign-in page that continues at `path`. `again`: shows the page even if a user is signed in
 * already.
 */
export const signInPath = (deps: Pick<Deps, "settings">, path: string, { again }: { again: boolean }): string =>
  pathOn(deps, `/login?${again ? "again=true&" : ""}continue=${encodeURIComponent(path)}`);
