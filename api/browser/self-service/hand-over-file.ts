import { X509Certificate } from "node:crypto";
import * as handOvers from "../../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import * as issuers from "../../../db/queries/realm/issuers.ts";
import type { CreationOutput } from "../../../domain/certificate-format.ts";
import type { PageRequest } from "../pages/page-request.ts";
import { sendProblem } from "../pages/problem.tsx";
import type { Viewer } from "./viewer.ts";
import { fileNameOf, fileTypes, typeOf } from "./file-name.ts";
import { stateOf } from "./hand-over-state.ts";
import { isRecipient } from "./recipient.ts";
import { radiusCaFilename } from "./radius-ca-filename.ts";
import { sendGone } from "./views/picked-up.tsx";

/**
 * Sends the file to the browser that picked it up, as often as it asks within two minutes: download managers ask twice.
 * To every other browser there is no such file.
 */
export async function sendHandOverFile(page: PageRequest, handOver: HandOver, viewer: Viewer): Promise<void> {
  const { deps, request } = page;
  const at = deps.clock.now();
  const filename = request.params["filename"];
  if (!isRecipient(page, handOver) || handOver.issuanceId === null) {
    sendProblem(page, "not_found");
  } else if (filename === radiusCaFilename) {
    const bytes = Buffer.from(viewer.realm.radiusCa ?? (await pemOfIssuer(page, handOver)));
    sendFile(page, { filename: radiusCaFilename, ...fileTypes.pem, bytes });
  } else if (filename !== fileNameOf(handOver)) {
    sendProblem(page, "not_found");
  } else if (stateOf(handOver, at) !== "ready") {
    sendGone(page, handOver, viewer);
  } else {
    await handOvers.noteOffered(deps.db, { id: handOver.id, at });
    const output = (await deps.collectIssuance(handOver.issuanceId))?.output;
    if (output === undefined || output === "erased") {
      sendGone(page, handOver, viewer);
      return;
    }
    await handOvers.noteDownloaded(deps.db, { id: handOver.id, at });
    sendFile(page, { filename, name: handOver.name, ...typeOf(handOver), bytes: bytesOf(output) });
  }
}

/** The issuer with what is above it. */
async function pemOfIssuer({ deps }: PageRequest, { issuerId }: HandOver): Promise<string> {
  const [issuer] = issuerId === null ? [] : await issuers.listByIds(deps.db, [issuerId]);
  const chain = issuer === undefined ? [] : [issuer.certificate, ...issuer.chain];
  return chain.map((certificate) => new X509Certificate(certificate).toString()).join("");
}

/** A file of its own, or the certificates and then the key in one. */
const bytesOf = (output: CreationOutput): Buffer =>
  "data" in output
    ? Buffer.from(output.data, "base64")
    : Buffer.from(`${output.certificate}${"privateKey" in output ? output.privateKey : ""}`);

function sendFile(
  { response }: PageRequest,
  {
    filename,
    name,
    ending,
    type,
    bytes,
  }: { filename: string; name?: string; ending: string; type: string; bytes: Buffer },
): void {
  // RFC 6266: the second form for names in other letters.
  const full = name === undefined ? "" : `; filename*=UTF-8''${encodeName(`${name}.${ending}`)}`;
  response.statusCode = 200;
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Disposition", `attachment; filename="${filename}"${full}`);
  response.setHeader("Content-Length", bytes.length);
  response.setHeader("Cache-Control", "no-store");
  response.end(bytes);
}

/** RFC 8187, section 3.2.1. What a file system could take for a path is left out. */
const encodeName = (name: string): string =>
  encodeURIComponent(name.replace(/[/\\:*?"<>|]/g, "-").replace(/^\.+/, "")).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
