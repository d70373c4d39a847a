import { base, consolePath } from "./page-settings.ts";

let leaving = false;

/** Returns true once the browser is on its way to the sign-in page. */
export const isLeaving = (): boolean => leaving;

/** Opens the sign-in page, which returns the user to this page. */
export function signInAgain(): void {
  if (leaving) return;
  leaving = true;
  const here = `${location.pathname.slice(base.length)}${location.search}`;
  const back = here.startsWith("/console/sign-in") ? "/console" : here;
  location.assign(`${consolePath}/sign-in?continue=${encodeURIComponent(back)}`);
}
