import { base, consolePath } from "./page-settings.ts";

let leaving = false;

/** Leads to the sign-in page, and from there back to this page. */
export function signInAgain(): void {
  if (leaving) return;
  leaving = true;
  const here = `${location.pathname.slice(base.length)}${location.search}`;
  const back = here.startsWith("/console/sign-in") ? "/console" : here;
  location.assign(`${consolePath}/sign-in?continue=${encodeURIComponent(back)}`);
}
