import * as certificates from "../../../../db/queries/certificates/certificates.ts";
import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import * as issuances from "../../../../db/queries/issuance/issuances.ts";
import { formTokenFor } from "../../../pages/form-token.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { findCheck } from "../device/check.ts";
import { pathsOf } from "../hand-over-paths.ts";
import { fileEnd, stateOf } from "../../../resources/hand-over/hand-over-state.ts";
import type { Objection } from "../../../resources/hand-over/accept-hand-over.ts";
import type { Viewer } from "../viewer.ts";
import { sendFailed, sendGone, sendPreparing, sendUnused } from "../views/claimed.tsx";
import { sendDownload, type ReplacedProfile } from "../views/download.tsx";
import { sendEndedLink } from "../views/ended-link.tsx";

/**
 * Shows the state of a hand-over's profile to the browser that claimed it, and any objection to creating the profile.
 */
export async function showClaimed(
  page: PageRequest,
  handOver: HandOver,
  viewer: Viewer,
  objection?: Objection,
): Promise<void> {
  const { deps } = page;
  const at = deps.clock.now();
  const state = stateOf(handOver, at);
  switch (state) {
    case "waiting":
    case "claimed":
      if (objection !== undefined && viewer.owner === undefined) {
        sendEndedLink(page, "refused", viewer.realm);
        return;
      }
      sendDownload(page, handOver, viewer, {
        paths: pathsOf(page, handOver, viewer),
        hidden: { form_token: formTokenFor(deps, page) },
        until: handOver.expiresAt,
        objection,
        check: undefined,
        replaced: undefined,
      });
      return;
    case "ready":
      sendDownload(page, handOver, viewer, {
        paths: pathsOf(page, handOver, viewer),
        hidden: undefined,
        until: fileEnd(handOver, at),
        objection: undefined,
        check: await findCheck(page, handOver),
        replaced: await findReplaced(page, handOver, viewer),
      });
      return;
    case "failed":
      sendFailed(page, viewer);
      return;
    case "gone":
      sendGone(page, handOver, viewer);
      return;
    case "expired":
      sendUnused(page, viewer);
      return;
    case "preparing":
      sendPreparing(page, viewer, { waitedMs: at.getTime() - (handOver.pickedUpAt ?? at).getTime() });
  }
}

/** Returns the profile that the new one replaces, if the old one is not revoked and the viewer is the owner. */
async function findReplaced(
  { deps }: PageRequest,
  { realmId, userId, renewsSerialNumber, serialNumber }: HandOver,
  { owner }: Viewer,
): Promise<ReplacedProfile | undefined> {
  if (owner === undefined || userId === null || renewsSerialNumber === null) return undefined;
  const renewals = await issuances.listRenewalsOfUser(deps.db, { userId });
  const renewal = renewals.find((each) => each.serialNumber === serialNumber);
  if (renewal === undefined) return undefined;
  const old = await certificates.findOfUser(deps.db, { realmId, userId, serialNumber: renewal.replacedSerialNumber });
  return old?.revokedAt === null ? { ...old, endsAt: renewal.replacedEndsAt } : undefined;
}
