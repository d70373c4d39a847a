import { appsPath } from "../../domain/onboarding-apps.ts";
import { sendJson } from "../http/respond.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { pathOn } from "../pages/continue-to.ts";
import { realmOf } from "./app-realm.ts";
import { sendAppsBase } from "./views/apps-base.tsx";

/**
 * `GET` on the base address of a realm's apps: sends a page if `Accept` begins with `text/html`, as browsers send it;
 * otherwise the endpoints. Apps send any other `Accept`, or none.
 */
export function showBase(page: PageRequest): void {
  const { deps, request, response } = page;
  const realm = realmOf(page);
  const base = `${deps.settings.authUrl}${appsPath(realm.name)}`;
  response.setHeader("Vary", "Accept");
  if (request.headers.accept?.startsWith("text/html") === true) {
    sendAppsBase(page, { realm, base, devices: pathOn(deps, "/me") });
    return;
  }
  response.setHeader("Cache-Control", "public, max-age=300");
  // No charset: apps compare the whole media type.
  sendJson(response, 200, endpointsBelow(base), "application/json");
}

const endpointsBelow = (base: string) => ({
  "http://letswifi.app/api#v2": {
    authorization_endpoint: `${base}oauth/authorize/`,
    token_endpoint: `${base}oauth/token/`,
    eapconfig_endpoint: `${base}api/eap-config/`,
    mobileconfig_endpoint: `${base}api/eap-config/?format=mobileconfig`,
  },
});
