import { hash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { requestBytesMax } from "./ocsp-request.ts";
import { ocspCacheSeconds } from "../domain/lifetimes.ts";
import { publicationTarget } from "../domain/certificate/publication-target.ts";
import { closeWhenIdle, listenOnSet } from "../runtime/http-listener.ts";
import { closingUnlessRead } from "../runtime/leftover.ts";
import type { WithinLimit } from "./address-limits.ts";
import type { ClientAddress } from "./client-address.ts";
import { errorAnswer, type OcspAnswer, type OcspOutcome } from "./answer.ts";
import type { Responder } from "./responder.ts";

export interface ListenerOptions {
  responder: Responder;
  host: string;
  /** 0 for any free port. */
  port: number;
  clientAddress: ClientAddress;
  withinLimit: WithinLimit;
  /** The most requests in progress; further requests get "try later". Default: 2,000. */
  inFlightMax?: number;
  /** How long to wait for slow clients, where the time differs from {@link slowClients}. */
  slowClients?: Partial<SlowClients> | undefined;
  /** Called once for each OCSP answer; not called for a request that is refused with an HTTP status alone. */
  onAnswer: (outcome: OcspOutcome, seconds: number) => void;
  /** Called for a request that a bug leaves unanswered; the request's connection is closed. */
  onUnexpectedError: (error: unknown) => void;
}

export interface OcspListener {
  port: number;
  /** Accepts no further connections and resolves when the responder has answered every request. */
  close(): Promise<void>;
}

/** How long to wait for slow clients, in milliseconds. */
const slowClients = { headersTimeout: 5_000, requestTimeout: 8_000, connectionsCheckingInterval: 1_000 };
export type SlowClients = typeof slowClients;

/** Closes idle connections, and limits the size of a request's headers. */
const limits = { keepAliveTimeout: 15_000, maxHeaderSize: 16_384 };
const connectionsMax = 4_096;

const responseType = "application/ocsp-response";

/** Serves OCSP over HTTP (RFC 6960 appendix A, RFC 5019 sections 5 and 6): `/ocsp/{issuer}`, POST, GET and HEAD. */
export async function startListener({ inFlightMax = 2_000, ...options }: ListenerOptions): Promise<OcspListener> {
  let inFlight = 0;
  let closing = false;

  const answerTo = async (
    request: IncomingMessage,
    { issuerId, asked }: { issuerId: string; asked: Buffer },
  ): Promise<OcspAnswer> => {
    inFlight += 1;
    try {
      const address = options.clientAddress(request.socket.remoteAddress, headerOf(request, "x-forwarded-for"));
      if (inFlight > inFlightMax || !options.withinLimit(address)) return errorAnswer("tryLater");
      return await options.responder.answer(issuerId, asked, address);
    } finally {
      inFlight -= 1;
    }
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = performance.now();
    const target = readTarget(request.url ?? "");
    if (target === undefined) {
      refuse(response, 404);
      return;
    }
    const asked = await readAsked(request, target.encoded);
    if (typeof asked === "number") {
      refuse(response, asked);
      return;
    }

    const answer = await answerTo(request, { issuerId: target.issuerId, asked });
    if (closing) response.setHeader("Connection", "close");
    send(request, response, answer);
    options.onAnswer(answer.outcome, (performance.now() - startedAt) / 1_000);
  };

  const server = createServer(
    { ...limits, ...slowClients, ...options.slowClients },
    closingUnlessRead((request, response) => {
      respond(request, response).catch((error: unknown) => {
        response.destroy();
        if (!(error instanceof ClientGone)) options.onUnexpectedError(error);
      });
    }),
  );
  server.maxConnections = connectionsMax;
  const port = await listenOnSet(server, options, "REALMPASS_OCSP_PORT");
  return {
    port,
    close() {
      closing = true;
      return closeWhenIdle(server);
    },
  };
}

/** Returns the issuer and, for GET, the rest of the path: the request in base64. */
function readTarget(url: string): { issuerId: string; encoded: string | undefined } | undefined {
  const [, issuerId, encoded] = /^\/ocsp\/([1-9][0-9]{0,17})(?:\/+(.*))?$/s.exec(publicationTarget(url)) ?? [];
  return issuerId === undefined ? undefined : { issuerId, encoded };
}

/**
 * Returns the request's bytes, or the HTTP status that refuses it. Invalid base64 yields no bytes, which is a
 * malformedRequest.
 */
async function readAsked(request: IncomingMessage, encoded: string | undefined): Promise<Buffer | number> {
  switch (request.method) {
    case "GET":
    case "HEAD":
      return decode(encoded ?? "");
    case "POST":
      if (encoded !== undefined && encoded !== "") return 404;
      if ((headerOf(request, "content-encoding") ?? "identity").toLowerCase() !== "identity") return 415;
      return (await readBody(request)) ?? 413;
    default:
      return 405;
  }
}

const nothing = Buffer.alloc(0);

/**
 * Decodes base64 with either alphabet (RFC 4648 sections 4 and 5), percent-encoded up to twice, with line ends, or with
 * blanks that were plus signs; returns no bytes for anything else.
 */
function decode(encoded: string): Buffer {
  let text = encoded;
  try {
    for (let times = 0; times < 2 && text.includes("%"); times += 1) text = decodeURIComponent(text);
  } catch {
    return nothing;
  }
  text = text.replace(/[\r\n]+/g, "").replaceAll(" ", "+");
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : nothing;
}

/** The client closed its connection before its request was complete. */
class ClientGone extends Error {}

/**
 * Returns a body within the limit; undefined for a larger body. Rejects with {@link ClientGone} if the client closes
 * the connection.
 */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > requestBytesMax) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > requestBytesMax) resolve(undefined);
      else chunks.push(chunk);
    });
    request.on("end", () => {
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    });
    request.on("error", (cause) => {
      reject(new ClientGone("the request broke off", { cause }));
    });
    // The error is created only when needed: its stack would cost each answer more than reading the request.
    request.on("close", () => {
      if (!request.readableEnded) reject(new ClientGone("the client went away"));
    });
  });
}

/** Refuses a request that is not OCSP, without reading the rest of it. */
function refuse(response: ServerResponse, status: number): void {
  if (status === 405) response.setHeader("Allow", "GET, HEAD, POST");
  response.writeHead(status, { Connection: "close", "Content-Length": 0 }).end();
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}

function send(request: IncomingMessage, response: ServerResponse, { outcome, body, signedAt }: OcspAnswer): void {
  if (outcome === "tryLater") {
    // FreeRADIUS would treat "try later" with status 200 as a refusal, like every such answer that is not "good".
    response
      .writeHead(503, { "Content-Type": responseType, "Content-Length": body.length, "Cache-Control": "no-store" })
      .end(body);
    return;
  }
  if (request.method === "POST" || signedAt === undefined) {
    response
      .writeHead(200, { "Content-Type": responseType, "Content-Length": body.length, "Cache-Control": "no-store" })
      .end(body);
    return;
  }
  const tag = `"${hash("sha1", body, "hex")}"`;
  const headers = {
    "Cache-Control": `max-age=${ocspCacheSeconds}, public, no-transform, must-revalidate`,
    ETag: tag,
    "Last-Modified": signedAt.toUTCString(),
    Expires: new Date(signedAt.getTime() + ocspCacheSeconds * 1_000).toUTCString(),
  };
  if ((headerOf(request, "if-none-match") ?? "").split(",").some((each) => each.trim().replace(/^W\//, "") === tag)) {
    response.writeHead(304, headers).end();
  } else {
    response.writeHead(200, { "Content-Type": responseType, "Content-Length": body.length, ...headers }).end(body);
  }
}
