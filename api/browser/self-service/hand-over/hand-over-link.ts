import * as handOvers from "../../../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import * as realms from "../../../../db/queries/realm/realms.ts";
import type { RealmRow } from "../../../../db/queries/realm/realms.ts";
import * as users from "../../../../db/queries/people/users.ts";
import { DeviceType } from "../../../../domain/certificate/device.ts";
import { hashOfToken } from "../../../../runtime/keys/secret-token.ts";
import { rememberRealm } from "../../../pages/page-realm.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { sendProblem } from "../../../pages/problem.tsx";
import { pathOn } from "../../../pages/continue-to.ts";
import { formTokenFor, verifyFormToken } from "../../../pages/form-token.ts";
import { redirect } from "../../../pages/redirect.ts";
import { deviceOf, mayBeIPad, embeddedBrowserOf } from "../../../resources/hand-over/browser-device.ts";
import { nameFor } from "../../../resources/hand-over/device-name.ts";
import { claimBy } from "./claim.ts";
import { stateOf } from "../../../resources/hand-over/hand-over-state.ts";
import { sendHandOverFile } from "./hand-over-file.ts";
import { isRecipient, markRecipient } from "./recipient.ts";
import { requestProfile } from "./request-profile.ts";
import { showClaimed } from "./show-claimed.ts";
import { sendEndedLink, sendUnknownLink } from "../views/ended-link.tsx";
import { sendMiniBrowser } from "../views/mini-browser.tsx";
import { sendPickUp } from "../views/pick-up.tsx";

interface Followed {
  handOver: HandOver;
  realm: RealmRow;
}

/**
 * `GET /d/:token`: asks the user to claim the hand-over; after the claim, shows the profile to the browser that claimed
 * it.
 */
export async function showHandOverLink(page: PageRequest): Promise<void> {
  const followed = await follow(page);
  if (followed === undefined) return;
  const { handOver, realm } = followed;
  if (isRecipient(page, handOver)) {
    await showClaimed(page, handOver, { realm, owner: undefined });
    return;
  }
  if (!isWaiting(page, followed)) return;
  const miniBrowser = embeddedBrowserOf(page.request);
  if (miniBrowser !== undefined && !page.query.has("anyway")) sendMiniBrowser(page, realm, miniBrowser);
  else await ask(page, followed, { isWrong: false });
}

/** `POST /d/:token`: claims the hand-over for this browser alone. */
export async function redeemHandOverLink(page: PageRequest): Promise<void> {
  const { deps, request, form } = page;
  const followed = await follow(page);
  if (followed === undefined) return;
  const { handOver } = followed;
  const address = pathOn(deps, `/d/${encodeURIComponent(String(request.params["token"]))}`);
  if (!verifyFormToken(deps, request, form.get("form_token"))) {
    sendProblem(page, "form_expired", { startAgain: address });
    return;
  }
  if (isRecipient(page, handOver)) {
    redirect(page, address);
    return;
  }
  if (!isWaiting(page, followed)) return;
  const deviceType = DeviceType.safeParse(form.get("device_type"));
  if (!deviceType.success) {
    await ask(page, followed, { isWrong: true });
    return;
  }
  const name = nameFor(deviceType.data, handOver.name, await displayNameOf(page, handOver));
  const claim = claimBy(page, { deviceType: deviceType.data, name, format: handOver.format });
  await handOvers.claim(deps.db, { id: handOver.id, at: deps.clock.now(), ...claim });
  // If another browser was faster, that page shows that the link was used.
  redirect(page, address);
}

/** `POST /d/:token/file`: requests the profile for the browser that claimed the hand-over. */
export async function requestFromLink(page: PageRequest): Promise<void> {
  const followed = await follow(page);
  if (followed !== undefined) {
    await requestProfile(page, followed.handOver, { realm: followed.realm, owner: undefined });
  }
}

/** `GET /d/:token/file/:filename`: sends the file to the browser that claimed the hand-over. */
export async function downloadFromLink(page: PageRequest): Promise<void> {
  const followed = await follow(page);
  if (followed !== undefined) {
    await sendHandOverFile(page, followed.handOver, { realm: followed.realm, owner: undefined });
  }
}

/** Returns the hand-over of the link's token; otherwise counts a failed attempt and sends the response. */
async function follow(page: PageRequest): Promise<Followed | undefined> {
  const { db } = page.deps;
  const tokenHash = hashOfToken(String(page.request.params["token"]));
  const handOver = await handOvers.findByToken(db, { tokenHash });
  const realm = handOver && (await realms.findById(db, handOver.realmId));
  rememberRealm(page, realm);
  if (handOver !== undefined && realm !== undefined) return { handOver, realm };
  await sendUnknownLink(page);
  return undefined;
}

/** Returns whether a device can still claim the hand-over; otherwise sends the response. */
function isWaiting(page: PageRequest, { handOver, realm }: Followed): boolean {
  const state = stateOf(handOver, page.deps.clock.now());
  if (state === "waiting") return true;
  sendEndedLink(page, state === "expired" && handOver.claimedAt === null ? "expired" : "used", realm);
  return false;
}

async function ask(page: PageRequest, { handOver, realm }: Followed, { isWrong }: { isWrong: boolean }): Promise<void> {
  const { deps, request } = page;
  markRecipient(page);
  sendPickUp(page, {
    realm,
    isWrong,
    // A guest's profile is named after the guest account, so its name shows who sent the link.
    name: handOver.name,
    from: handOver.userId === null ? undefined : ((await displayNameOf(page, handOver)) ?? undefined),
    deviceType: deviceOf(request) ?? handOver.deviceType,
    mayBeIPad: mayBeIPad(request),
    hidden: { form_token: formTokenFor(deps, page) },
  });
}

async function displayNameOf({ deps }: PageRequest, { realmId, userId }: HandOver): Promise<string | null> {
  if (userId === null) return null;
  const user = await users.find(deps.db, { realmId, userId, at: deps.clock.now() });
  return user?.displayName ?? null;
}
