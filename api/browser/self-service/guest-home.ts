import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { guestCodeOf, hashOfGuestCode } from "../../../runtime/keys/guest-code.ts";
import { hashOfToken } from "../../../runtime/keys/secret-token.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { embeddedBrowserOf } from "../../resources/hand-over/browser-device.ts";
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

/** `GET /guest/:token/sheet`: shows the link and the code for printing, to put up or hand out. */
export async function showGuestSheet(page: PageRequest): Promise<void> {
  const guest = await findGuest(page);
  if (guest === undefined) return;
  const { db, masterKeys } = page.deps;
  const token = String(page.request.params["token"]);
  const code = guestCodeOf(token);
  const codeHash = hashOfGuestCode(masterKeys, code);
  await guestAccounts.noteCode(db, { tokenHash: hashOfToken(token), codeHash });
  sendGuestSheet(page, guest, code);
}
