import type { Deps } from "../../contract/deps.ts";

/** The path of one of our pages as browsers must ask for it: below the authorization server's address. */
export const pathOn = ({ settings }: Pick<Deps, "settings">, path: string): string =>
  `${new URL(settings.authUrl).pathname.replace(/\/$/, "")}${path}`;

/** Segments that mean nothing but themselves: none is empty, none begins with a dot, nothing is escaped. */
const segments = String.raw`(?:/[\w~-][\w.~-]*)*/?`;

/** Printable ASCII without the backslash, which browsers take for a slash. */
const query = String.raw`\?[!-[\]-~]*`;

/** Where signing in may lead on to. Everything else would be an open redirector. */
const places = [
  new RegExp(`^/oauth/authorize${query}$`),
  new RegExp(`^/me${segments}(?:${query})?$`),
  new RegExp(`^/console/sign-in(?:${query})?$`),
];

/** The path to continue at after signing in; undefined unless it leads to a known page of the service. */
export const continueTo = (path: string | undefined): string | undefined =>
  path !== undefined && places.some((place) => place.test(path)) ? path : undefined;

const consolePlace = new RegExp(`^/console${segments}(?:${query})?$`);
const notAPage = /^\/console\/(?:api|assets|callback|session|sign-in|sign-out)(?:[/?]|$)/;

/** A page of the console to go on to; undefined for every other path. */
export const consolePage = (path: string | undefined): string | undefined =>
  path !== undefined && consolePlace.test(path) && !notAPage.test(path) ? path : undefined;

/** The address of the sign-in page that leads on to `path`. `again`: also for who is signed in already. */
export const signInPath = (deps: Pick<Deps, "settings">, path: string, { again }: { again: boolean }): string =>
  pathOn(deps, `/login?${again ? "again=true&" : ""}continue=${encodeURIComponent(path)}`);
