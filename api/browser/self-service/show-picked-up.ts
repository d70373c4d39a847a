import * as certificates from "../../../db/queries/certificates/certificates.ts";
import * as handOvers from "../../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import { renewalHoursMax } from "../../../domain/renewal.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { pathOn } from "../pages/continue-to.ts";
import type { Viewer } from "./viewer.ts";
import { fileEnd, stateOf } from "./hand-over-state.ts";
import { fileNameOf } from "./file-name.ts";
import { tokenOfHandOver } from "./hand-over-token.ts";
import { radiusCaFilename } from "./radius-ca-filename.ts";
import { sendFailed, sendGone, sendPreparing } from "./views/picked-up.tsx";
import { sendReady, type ReadyFiles, type ReplacedProfile } from "./views/ready.tsx";

/** Shows the browser that took a hand-over how its profile stands. */
export async function showPickedUp(page: PageRequest, handOver: HandOver, viewer: Viewer): Promise<void> {
  const { deps } = page;
  const at = deps.clock.now();
  switch (stateOf(handOver, at)) {
    case "ready":
      await handOvers.noteOffered(deps.db, { id: handOver.id, at });
      sendReady(page, handOver, viewer, {
        files: filesAt(page, handOver, viewer),
        until: fileEnd(handOver, at),
        replaced: await findReplaced(page, handOver, viewer),
      });
      return;
    case "failed":
      sendFailed(page, viewer);
      return;
    case "gone":
      sendGone(page, handOver, viewer);
      return;
    default:
      sendPreparing(page, viewer, { waitedMs: at.getTime() - (handOver.pickedUpAt ?? at).getTime() });
  }
}

/** Where the profile's file is, and the CA's beside it. */
function filesAt({ deps }: PageRequest, handOver: HandOver, { owner }: Viewer): ReadyFiles {
  const base =
    owner === undefined
      ? pathOn(deps, `/d/${tokenOfHandOver(deps, handOver)}`)
      : `${owner.home}/hand-overs/${handOver.id}`;
  const filename = fileNameOf(handOver);
  return { filename, file: `${base}/file/${filename}`, ca: `${base}/file/${radiusCaFilename}` };
}

/** The profile that this one takes the place of, while it is active. For its owner only. */
async function findReplaced(
  { deps }: PageRequest,
  { realmId, userId, renewsSerialNumber, serialNumber }: HandOver,
  { owner }: Viewer,
): Promise<ReplacedProfile | undefined> {
  if (owner === undefined || userId === null || renewsSerialNumber === null) return undefined;
  const [old, renewals] = await Promise.all([
    certificates.findOfUser(deps.db, { realmId, userId, serialNumber: renewsSerialNumber }),
    issuances.listRenewalsOfUser(deps.db, { userId }),
  ]);
  if (old?.revokedAt !== null) return undefined;
  const renewal = renewals.find((each) => each.serialNumber === serialNumber);
  return { ...old, endsAt: endOfReplaced(renewal) };
}

/** When a profile is revoked by itself because its successor had no room beside it; undefined: not at all. */
export const endOfReplaced = (renewal: issuances.Renewal | undefined): Date | undefined =>
  renewal?.beyondLimit === true && renewal.finishedAt !== null
    ? new Date(renewal.finishedAt.getTime() + renewalHoursMax * 3_600_000)
    : undefined;
