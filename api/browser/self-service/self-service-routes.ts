import type { Deps } from "../../contract/deps.ts";
import type { Route } from "../../http/route.ts";
import { pageRoute } from "../../pages/page-route.ts";
import { shortCodePath } from "../../resources/hand-over/hand-over-view.ts";
import { showConnectedApplications, withdrawApplication } from "./connected-applications.ts";
import { askToRevoke, renewDevice, revokeDevice, showDevice } from "./device.ts";
import { showDevices } from "./devices.ts";
import { downloadOwnData } from "./own-data.ts";
import { findGuest } from "./guest.ts";
import { showGuestHome, showGuestSheet } from "./guest-home.ts";
import { downloadFromLink, requestFromLink, showHandOverLink, redeemHandOverLink } from "./hand-over/hand-over-link.ts";
import { redeemShortCode, showShortCode } from "./hand-over/short-code-page.ts";
import { requireSignedIn } from "./signed-in-owner.ts";
import { addDevice, showNewDevice } from "./new-device.ts";
import { downloadHandOver, makeHandOverFile, showHandOver } from "./show-hand-over.ts";

/**
 * Returns the routes where users and guests add and manage their devices: pages without scripts. The address of a
 * refused form also shows the page on GET, for the language links.
 */
export const selfServiceRoutes = (deps: Deps): Route[] => [
  pageRoute(deps, "/me", { get: showDevices }),
  pageRoute(deps, "/me/devices/new", { get: showNewDevice(requireSignedIn), post: addDevice(requireSignedIn) }),
  pageRoute(deps, "/me/devices/:serial", { get: showDevice }),
  pageRoute(deps, "/me/devices/:serial/revoke", { get: askToRevoke, post: revokeDevice }),
  pageRoute(deps, "/me/devices/:serial/renew", { get: showDevice, post: renewDevice }),
  pageRoute(deps, "/me/hand-overs/:id", { get: showHandOver(requireSignedIn) }),
  pageRoute(deps, "/me/hand-overs/:id/file", {
    get: showHandOver(requireSignedIn),
    post: makeHandOverFile(requireSignedIn),
  }),
  pageRoute(deps, "/me/hand-overs/:id/file/:filename", { act: downloadHandOver(requireSignedIn) }),
  pageRoute(deps, "/me/data", { act: downloadOwnData }),
  pageRoute(deps, "/me/apps", { get: showConnectedApplications }),
  pageRoute(deps, "/me/apps/:client_id/withdraw", { post: withdrawApplication }),

  pageRoute(deps, shortCodePath, { get: showShortCode, post: redeemShortCode }),
  pageRoute(deps, "/d/:token", { get: showHandOverLink, post: redeemHandOverLink }),
  pageRoute(deps, "/d/:token/file", { get: showHandOverLink, post: requestFromLink }),
  pageRoute(deps, "/d/:token/file/:filename", { act: downloadFromLink }),

  pageRoute(deps, "/guest/:token", { get: showGuestHome }),
  pageRoute(deps, "/guest/:token/sheet", { get: showGuestSheet }),
  pageRoute(deps, "/guest/:token/devices/new", { get: showNewDevice(findGuest), post: addDevice(findGuest) }),
  pageRoute(deps, "/guest/:token/hand-overs/:id", { get: showHandOver(findGuest) }),
  pageRoute(deps, "/guest/:token/hand-overs/:id/file", {
    get: showHandOver(findGuest),
    post: makeHandOverFile(findGuest),
  }),
  pageRoute(deps, "/guest/:token/hand-overs/:id/file/:filename", { act: downloadHandOver(findGuest) }),
];
