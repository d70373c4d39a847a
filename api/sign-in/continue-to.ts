import type { Deps } from "../deps.ts";

/** The path of one of our pages as browsers must ask for it: below the authorization server's address. */
export const pathOn = ({ settings }: Pick<Deps, "settings">, path: string): string =>
  `${new URL(settings.authUrl).pathname.replace(/\/$/, "")}${path}`;

/** Where signing in may lead on to. Everything else would be an open redirector. */
const allowed = ["/oauth/authorize?"];

/** A path to go on to after signing in; undefined unless it is one of ours. */
export const continueTo = (path: string | undefined): string | undefined =>
  path !== undefined && allowed.some((start) => path.startsWith(start)) && /^[!-[\]-~]+$/.test(path) ? path : undefined;

/** The address of the sign-in page that leads on to `path`. `again`: also for who is signed in already. */
export const signInPath = (deps: Pick<Deps, "settings">, path: string, { again }: { again: boolean }): string =>
  pathOn(deps, `/login?${again ? "again=true&" : ""}continue=${encodeURIComponent(path)}`);
