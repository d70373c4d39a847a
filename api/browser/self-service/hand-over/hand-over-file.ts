import { X509Certificate } from "node:crypto";
import * as handOvers from "../../../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import * as issuers from "../../../../db/queries/realm/issuers.ts";
import { fileTypes, radiusCaFileName } from "../../../../domain/certificate/profile-file-name.ts";
import { saveAs } from "../../../http/save-as.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { sendProblem } from "../../../pages/problem.tsx";
import { redirect } from "../../../pages/redirect.ts";
import type { Viewer } from "../viewer.ts";
import { fileNameOf, formatOf, pathsOf } from "../hand-over-paths.ts";
import { fileBytes } from "../../../resources/hand-over/file-bytes.ts";
import { stateOf } from "../../../resources/hand-over/hand-over-state.ts";
import { isRecipient } from "./recipient.ts";
import { sendGone } from "../views/claimed.tsx";

/**
 * Sends the file to the browser that claimed the hand-over, as often as the browser asks within half an hour: download
 * managers ask twice. For every other browser the file does not exist.
 */
export async function sendHandOverFile(page: PageRequest, handOver: HandOver, viewer: Viewer): Promise<void> {
  const { deps, request } = page;
  const at = deps.clock.now();
  const filename = request.params["filename"];
  const state = stateOf(handOver, at);
  if (!isRecipient(page, handOver)) {
    sendProblem(page, "not_found");
  } else if (filename === radiusCaFileName) {
    const bytes = Buffer.from(viewer.realm.radiusCa ?? (await pemOfIssuer(page, handOver)));
    sendFile(page, { filename, type: fileTypes.pem.type, bytes });
  } else if (filename !== fileNameOf(handOver)) {
    sendProblem(page, "not_found");
  } else if (state !== "ready" || handOver.issuanceId === null) {
    if (state === "gone") sendGone(page, handOver, viewer);
    else redirect(page, pathsOf(page, handOver, viewer).page);
  } else {
    // Noted before the file is sent: from now on upkeep leaves the profile alone, and the browser can fetch the file
    // again after a broken download.
    await handOvers.noteDownloaded(deps.db, { id: handOver.id, at });
    const output = (await deps.collectIssuance(handOver.issuanceId))?.output;
    if (output === undefined || output === "erased") {
      sendGone(page, handOver, viewer);
      return;
    }
    sendFile(page, { filename, type: fileTypes[formatOf(handOver)].type, bytes: fileBytes(output) });
  }
}

/**
 * Returns the certificates of the profile's issuer and of the CAs above it. If there is no profile yet, starts from the
 * realm's current issuer.
 */
async function pemOfIssuer({ deps }: PageRequest, { realmId, issuerId }: HandOver): Promise<string> {
  const issuer =
    issuerId === null
      ? (await issuers.list(deps.db, realmId)).find(({ issuing }) => issuing)
      : (await issuers.listByIds(deps.db, [issuerId]))[0];
  const chain = issuer === undefined ? [] : [issuer.certificate, ...issuer.chain];
  return chain.map((certificate) => new X509Certificate(certificate).toString()).join("");
}

function sendFile(
  { response }: PageRequest,
  { filename, type, bytes }: { filename: string; type: string; bytes: Buffer },
): void {
  response.statusCode = 200;
  response.setHeader("Content-Type", type);
  saveAs(response, filename);
  response.setHeader("Content-Length", bytes.length);
  response.setHeader("Cache-Control", "no-store");
  response.end(bytes);
}
