import { base, consolePath } from "./page-settings.ts";

let leaving = false;

/** Leads to signing in, and back to this very page. */
export function signInAgain(): void {
  if (leaving) return;
  leaving = true;
  const here = `${location.pathname.slice(base.length)}${location.search}`;
  const back = here.startsWith("/console/sign-in") ? "/console" : here;
  location.assign(`${consolePath}/sign-in?continue=${encodeURIComponent(back)}`);
}
