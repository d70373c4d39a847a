import { Router } from "express";
import type { Deps } from "../../contract/deps.ts";
import { pageRoute } from "../pages/page-route.ts";
import { showConnectedApplications, withdrawApplication } from "./connected-applications.ts";
import { askToRevoke, renewDevice, revokeDevice, showDevice } from "./device.ts";
import { showDevices } from "./devices.ts";
import { findGuest } from "./guest.ts";
import { showGuestHome } from "./guest-home.ts";
import { downloadFromLink, showHandOverLink, useHandOverLink } from "./hand-over-link.ts";
import { requireSignedIn } from "./signed-in-owner.ts";
import { addDevice, showNewDevice } from "./new-device.ts";
import { downloadHandOver, showHandOver } from "./show-hand-over.ts";

/** Where the router's pages begin. */
export const selfServicePaths = ["/me", "/d", "/guest"] as const;

/** Where people and guests add their devices and see to them: pages without scripts. */
export function createSelfServiceRouter(deps: Deps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.use(pageRoute(deps, "/me", { get: showDevices }));
  router.use(
    pageRoute(deps, "/me/devices/new", { get: showNewDevice(requireSignedIn), post: addDevice(requireSignedIn) }),
  );
  router.use(pageRoute(deps, "/me/devices/:serial", { get: showDevice }));
  router.use(pageRoute(deps, "/me/devices/:serial/revoke", { get: askToRevoke, post: revokeDevice }));
  router.use(pageRoute(deps, "/me/devices/:serial/renew", { post: renewDevice }));
  router.use(pageRoute(deps, "/me/hand-overs/:id", { get: showHandOver(requireSignedIn) }));
  router.use(pageRoute(deps, "/me/hand-overs/:id/file/:filename", { get: downloadHandOver(requireSignedIn) }));
  router.use(pageRoute(deps, "/me/apps", { get: showConnectedApplications }));
  router.use(pageRoute(deps, "/me/apps/:client_id/withdraw", { post: withdrawApplication }));

  router.use(pageRoute(deps, "/d/:token", { get: showHandOverLink, post: useHandOverLink }));
  router.use(pageRoute(deps, "/d/:token/file/:filename", { get: downloadFromLink }));

  router.use(pageRoute(deps, "/guest/:token", { get: showGuestHome }));
  router.use(
    pageRoute(deps, "/guest/:token/devices/new", { get: showNewDevice(findGuest), post: addDevice(findGuest) }),
  );
  router.use(pageRoute(deps, "/guest/:token/hand-overs/:id", { get: showHandOver(findGuest) }));
  router.use(pageRoute(deps, "/guest/:token/hand-overs/:id/file/:filename", { get: downloadHandOver(findGuest) }));
  return router;
}
