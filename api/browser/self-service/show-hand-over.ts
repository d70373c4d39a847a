import * as handOvers from "../../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import type { PageHandler } from "../../pages/page-route.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { isOf, type FindOwner, type Owner } from "./owner.ts";
import { sendHandOverFile } from "./hand-over/hand-over-file.ts";
import { HandOverId } from "./new-device.ts";
import { isRecipient } from "./hand-over/recipient.ts";
import { requestProfile } from "./hand-over/request-profile.ts";
import { showClaimed } from "./hand-over/show-claimed.ts";
import { sendOffered } from "./views/offered.tsx";

/**
 * `GET …/hand-overs/:id`: shows the profile to the browser that claimed the hand-over. In other browsers, shows the
 * owner the QR code or who claimed the hand-over.
 */
export const showHandOver =
  (find: FindOwner): PageHandler =>
  async (page) => {
    const found = await findOwned(page, find);
    if (found === undefined) return;
    const { owner, handOver } = found;
    if (isRecipient(page, handOver)) await showClaimed(page, handOver, { realm: owner.realm, owner });
    else sendOffered(page, owner, handOver);
  };

/** `POST …/hand-overs/:id/file`: requests the profile. */
export const makeHandOverFile =
  (find: FindOwner): PageHandler =>
  async (page) => {
    const found = await findOwned(page, find);
    if (found !== undefined)
      await requestProfile(page, found.handOver, { realm: found.owner.realm, owner: found.owner });
  };

/** `GET …/hand-overs/:id/file/:filename`: sends the file to the browser that claimed the hand-over. */
export const downloadHandOver =
  (find: FindOwner): PageHandler =>
  async (page) => {
    const found = await findOwned(page, find);
    if (found !== undefined)
      await sendHandOverFile(page, found.handOver, { realm: found.owner.realm, owner: found.owner });
  };

/** Returns the requested hand-over if it is the owner's; otherwise sends the response. */
async function findOwned(
  page: PageRequest,
  find: FindOwner,
): Promise<{ owner: Owner; handOver: HandOver } | undefined> {
  const owner = await find(page);
  if (owner === undefined) return undefined;
  const id = HandOverId.safeParse(page.request.params["id"]);
  const handOver = id.success ? await handOvers.find(page.deps.db, { id: id.data }) : undefined;
  if (handOver !== undefined && isOf(handOver, owner)) return { owner, handOver };
  sendProblem(page, "not_found", { startAgain: owner.home });
  return undefined;
}
