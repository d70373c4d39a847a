import type { PageRequest } from "../../pages/page-request.ts";
import { embeddedBrowserOf } from "./device/browser-device.ts";
import { findGuest } from "./guest.ts";
import { sendGuestHome } from "./views/guest-home.tsx";
import { sendGuestSheet } from "./views/guest-sheet.tsx";
import { sendMiniBrowser } from "./views/mini-browser.tsx";

/** `GET /guest/:token`: shows the guest account. */
export async function showGuestHome(page: PageRequest): Promise<void> {
  const guest = await findGuest(page);
  if (guest === undefined) return;
  const miniBrowser = embeddedBrowserOf(page.request);
  if (miniBrowser !== undefined && !page.query.has("anyway")) sendMiniBrowser(page, guest.realm, miniBrowser);
  else sendGuestHome(page, guest);
}

/** `GET /guest/:token/sheet`: shows the link for print, to be put up or handed out. */
export async function showGuestSheet(page: PageRequest): Promise<void> {
  const guest = await findGuest(page);
  if (guest !== undefined) sendGuestSheet(page, guest);
}
