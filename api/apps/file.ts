import type { IncomingMessage } from "node:http";
import * as authorizations from "../../db/queries/issuance/app-authorizations.ts";
import type { AuthorizationByToken } from "../../db/queries/issuance/app-authorizations.ts";
import * as handOvers from "../../db/queries/issuance/hand-overs.ts";
import type { HandOver } from "../../db/queries/issuance/hand-overs.ts";
import { fileTypes } from "../../domain/certificate/profile-file-name.ts";
import type { IssuanceID } from "../../domain/ids.ts";
import { appFileRequestBytesMax } from "../../domain/limits.ts";
import { correctedDeviceType, findOnboardingApp } from "../../domain/onboarding-apps.ts";
import { hasBody } from "../../runtime/leftover.ts";
import { drawIssuanceId } from "../../runtime/draw-ids.ts";
import { readBearerToken } from "../contract/authenticate.ts";
import type { Deps } from "../contract/deps.ts";
import type { AppFileOutcome } from "../http/metrics.ts";
import { parsePairs, queryOf } from "../http/query-string.ts";
import { readBytes } from "../http/request-body.ts";
import { contextOf } from "../http/request-context.ts";
import type { Exchange } from "../http/route.ts";
import { acceptHandOver, type Objection } from "../resources/hand-over/accept-hand-over.ts";
import { fileBytes } from "../resources/hand-over/file-bytes.ts";
import { waitForProfile } from "../resources/hand-over/wait-for-profile.ts";
import { realmOf } from "./app-realm.ts";
import { FileError, invalidToken, type FileErrorCode } from "./file-error.ts";

/** How long a request waits for its profile: Windows gives up after 8 s, and no app retries automatically. */
const waitMsMax = 7_000;

/** The formats that apps ask for, by the value of the `format` parameter. */
const formats: ReadonlyMap<string, AppFormat> = new Map([
  ["eap-config", "eap-config"],
  ["mobileconfig", "mobileconfig"],
  ["apple-mobileconfig", "mobileconfig"],
]);
type AppFormat = "eap-config" | "mobileconfig";

/**
 * `POST …/api/eap-config/`: creates the one profile that a token permits, and sends its file. Every further request
 * with the token for the same format gets the same bytes.
 */
export async function sendFile(deps: Deps, { request, response }: Exchange): Promise<void> {
  const startedAt = performance.now();
  const context = contextOf(response);
  const realm = realmOf({ response });
  const format = readFormat(request.originalUrl);
  const token = { realmId: realm.id, tokenHash: readBearerToken(request.headers.authorization).hash };
  await requireSmallBody(request);
  const authorization = await authorizations.findByToken(deps.db, { ...token, at: deps.clock.now() });
  if (authorization === undefined) throw invalidToken();
  const { id, app, isPermitted } = authorization;
  const count = (outcome: AppFileOutcome): void => {
    deps.metrics.appFile({ app, format, outcome });
  };

  try {
    if (!isPermitted) throw new FileError("user_not_permitted");
    const issuanceId = await acceptOnce(deps, { authorization, ...token, format, request, requestId: context.id });
    if (issuanceId !== undefined) void deps.enqueueIssuance(issuanceId, { isNew: true });
    const waitMs = Math.max(0, waitMsMax - (performance.now() - startedAt));
    const handOver = await waitForProfile(deps, { id }, { context, waitMs });
    if (handOver === undefined || handOver.userId === null) throw invalidToken();
    const { userId } = handOver;
    context.who = { realmId: realm.id, userId, clientId: app };
    const about = { realmId: realm.id, userId, clientId: app, authorization: id };
    if (handOver.format !== format) throw new FileError("format_conflict");
    if (handOver.state === "failed") throw new FileError("issuance_failed");
    if (handOver.state !== "issued") {
      context.log().warn({ event: "app.file_late", ...about }, "an app's file was not ready in time");
      throw new FileError("temporarily_unavailable");
    }
    const bytes = await collect(deps, { handOver, ...token });
    const isFirst = handOver.downloadedAt === null;
    if (isFirst) context.log().info({ event: "app.file_sent", ...about }, "an app has its file");
    count(isFirst ? "sent" : "repeated");
    response.statusCode = 200;
    // No charset: apps compare the whole media type.
    response.setHeader("Content-Type", fileTypes[format].type);
    response.setHeader("Content-Length", bytes.length);
    response.end(bytes);
  } catch (error) {
    count(outcomeOf(error));
    throw error;
  }
}

function outcomeOf(error: unknown): AppFileOutcome {
  if (!(error instanceof FileError)) return "failed";
  if (error.code === "temporarily_unavailable") return "late";
  return error.status < 500 ? "refused" : "failed";
}

function readFormat(target: string): AppFormat {
  const [given = "eap-config", ...more] = parsePairs(queryOf(target)).get("format") ?? [];
  const format = more.length > 0 ? undefined : formats.get(given);
  if (format === undefined) throw new FileError("invalid_request");
  return format;
}

/** Throws if the body is too large. Some apps send an empty form, others no body. */
async function requireSmallBody(request: IncomingMessage): Promise<void> {
  if (!hasBody(request)) return;
  const { length } = await readBytes(request);
  if (length > appFileRequestBytesMax) throw new FileError("invalid_request", { status: 413 });
}

/** Thrown to roll back the transaction: the hand-over is already taken, or the authorization has ended. */
class NotTaken extends Error {}

interface Asking {
  authorization: AuthorizationByToken;
  realmId: string;
  tokenHash: Buffer;
  format: AppFormat;
  request: IncomingMessage;
  requestId: string;
}

/**
 * Accepts the profile on a token's first request, and takes the hand-over in the same transaction. Returns the new
 * issuance; undefined if there already is one. A refusal throws {@link FileError} and changes nothing.
 */
async function acceptOnce(deps: Deps, asking: Asking): Promise<IssuanceID | undefined> {
  const { authorization, realmId, tokenHash, format, request, requestId } = asking;
  const { id } = authorization;
  const handOver = await handOvers.find(deps.db, { id });
  if (handOver === undefined) throw invalidToken();
  if (handOver.pickedUpAt !== null) return undefined;
  const at = deps.clock.now();
  const issuanceId = drawIssuanceId();
  const deviceType = deviceTypeFor(authorization, handOver, { format, request });
  const wanted = { id: issuanceId, format, clientId: authorization.app, at, requestId };
  try {
    await deps.db.transaction(async (tx) => {
      const objection = await acceptHandOver(tx, { ...handOver, deviceType }, wanted);
      const taken = await authorizations.use(tx, { id, tokenHash, issuanceId, format, deviceType, at });
      // Checked before the objection: an earlier request with this token may have used the last place, and this request
      // must still get its file.
      if (!taken) throw new NotTaken();
      if (objection !== undefined) throw refusal(objection);
    });
    return issuanceId;
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error;
    if ((await authorizations.findByToken(deps.db, { realmId, tokenHash, at })) === undefined) throw invalidToken();
    return undefined;
  }
}

const deviceTypeFor = (
  { app: clientId }: AuthorizationByToken,
  { deviceType }: HandOver,
  { format, request }: { format: AppFormat; request: IncomingMessage },
): HandOver["deviceType"] => {
  const app = findOnboardingApp(clientId);
  if (app === undefined) return deviceType;
  const userAgent = (request.headers["user-agent"] ?? "").slice(0, 500);
  return correctedDeviceType(app, deviceType, { userAgent, wantsMobileconfig: format === "mobileconfig" });
};

const refusals = {
  user_locked: "user_locked",
  profile_limit_reached: "profile_limit_reached",
  no_issuer: "no_issuer",
  issuer_expiring: "issuer_expiring",
} as const satisfies Partial<Record<Objection, FileErrorCode>>;

const isKnown = (objection: Objection): objection is keyof typeof refusals => Object.hasOwn(refusals, objection);

/**
 * Returns the error for an objection. An objection that is not listed above means that the user has been offboarded
 * since.
 */
const refusal = (objection: Objection): FileError =>
  isKnown(objection) ? new FileError(refusals[objection]) : invalidToken();

/**
 * Marks the file as sent, then returns it. Throws if the authorization has ended or the file is erased. Marking comes
 * first: from then on upkeep and new authorizations of the device leave the profile alone.
 */
async function collect(
  deps: Deps,
  { handOver, realmId, tokenHash }: { handOver: HandOver; realmId: string; tokenHash: Buffer },
): Promise<Buffer> {
  const at = deps.clock.now();
  const isHeld = await deps.db.transaction(async (tx) => {
    if ((await authorizations.holdByToken(tx, { realmId, tokenHash, at })) === undefined) return false;
    await handOvers.noteDownloaded(tx, { id: handOver.id, at });
    return true;
  });
  if (!isHeld) throw invalidToken();
  const output = handOver.issuanceId === null ? undefined : (await deps.collectIssuance(handOver.issuanceId))?.output;
  if (output === undefined || output === "erased") throw new FileError("output_erased");
  return fileBytes(output);
}
