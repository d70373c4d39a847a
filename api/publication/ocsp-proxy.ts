import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Agent, type Dispatcher } from "undici";
import { ServiceError } from "../../domain/errors.ts";
import { ocspWaits } from "../../domain/certificate/ocsp-waits.ts";
import type { Deps } from "../contract/deps.ts";
import { problemErrors } from "../http/error-response.ts";
import type { ErrorFormat, PlainExchange, Route } from "../http/route.ts";
import { createOcspResponders } from "./ocsp-responders.ts";

/** The longest request that a responder accepts. */
const requestBytesMax = 4_096;

/** The longest response: longer than any valid one, as a response about many certificates is a few kilobytes. */
const answerBytesMax = 65_536;

/** Connections to one responder; further requests wait for a free one. */
const connectionsMax = 256;

/** How long a client may take to send its request. */
const requestMsMax = 8_000;

/**
 * After a "try later" response, other responders are asked only within this time, since the first one may only be busy.
 */
const afterTryLaterMsMax = 1_000;

/** OCSPResponse "try later" (RFC 6960 section 2.3). */
const tryLater = Buffer.from([0x30, 3, 0x0a, 1, 3]);

/** The headers of a responder's response that the client gets. */
const answerHeaders = ["content-type", "cache-control", "etag", "last-modified", "expires", "allow"];

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A route that does not need Express. */
export interface OcspRoute extends Route<PlainExchange> {
  path: RegExp;
}

/**
 * `/ocsp/{issuer}`: forwards a request to a responder, and to the next one if that fails, is slow or responds "try
 * later". Sends "try later" if no responder has another response. Of a request it checks only the length.
 */
export function ocspRoute(deps: { db: Deps["db"]; metrics: Pick<Deps["metrics"], "ocspProxied"> }): OcspRoute {
  const responders = createOcspResponders(deps);
  const agent = new Agent({
    connections: connectionsMax,
    connect: { timeout: ocspWaits.apiMs },
    maxResponseSize: answerBytesMax,
  });

  /**
   * Returns the first response that is not "try later"; otherwise the last "try later", or undefined if no responder
   * has responded. Asks the next responder as soon as one fails, responds "try later" or is slow.
   */
  async function askAny(asked: Asked): Promise<Answer | undefined> {
    const urls = await responders.list();
    const startedAt = performance.now();
    return new Promise((resolve) => {
      let next = 0;
      let waitingFor = 0;
      let later: Answer | undefined;
      let answered = false;
      const askNext = (): void => {
        if (answered) return;
        const url = urls[next];
        const passed = performance.now() - startedAt;
        if (url === undefined || passed >= (later === undefined ? ocspWaits.apiMs : afterTryLaterMsMax)) {
          if (waitingFor === 0) resolve(later);
          return;
        }
        next += 1;
        waitingFor += 1;
        const slow = setTimeout(() => {
          responders.silent(url);
          askNext();
        }, ocspWaits.apiAnotherMs);
        ask(agent, url, asked, ocspWaits.apiMs - passed)
          .then(
            (answer) => {
              responders.answered(url);
              if (answer.body.equals(tryLater)) {
                later = answer;
                return;
              }
              answered = true;
              resolve(answer);
            },
            () => {
              responders.silent(url);
            },
          )
          .finally(() => {
            clearTimeout(slow);
            waitingFor -= 1;
            askNext();
          });
      };
      askNext();
    });
  }

  return {
    path: /^\/ocsp\/[1-9][0-9]{0,17}(?:[/?]|$)/,
    name: "/ocsp/:issuer",
    methods: ["GET", "HEAD", "POST", "OPTIONS"],
    limit: "address",
    errors: ocspErrors,
    async handle({ request, response, address }) {
      const path = request.url ?? "";
      if (path.includes("?")) throw new ServiceError("not_found");
      const body = request.method === "POST" ? await readBody(request) : null;
      const method = body === null ? "GET" : "POST";
      const answer = await askAny({ method, path, headers: headersOf(request, address), body });
      deps.metrics.ocspProxied(answer === undefined || answer.body.equals(tryLater) ? "try_later" : "answered");
      send(response, answer);
    },
  };
}

/** The format of OCSP's errors: "try later" beyond the limit, and the API's format for everything else. */
const ocspErrors: ErrorFormat<PlainExchange> = {
  name: "bytes",
  send(exchange, thrown) {
    if (!(thrown instanceof ServiceError && thrown.code === "too_many_requests")) {
      return problemErrors.send(exchange, thrown);
    }
    send(exchange.response, undefined);
  },
};

interface Asked {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** Returns the headers that the responder reads, and the client's address; nothing else is forwarded. */
function headersOf(request: IncomingMessage, address: string): Record<string, string> {
  const headers: Record<string, string> = { "x-forwarded-for": address };
  for (const name of ["content-type", "content-encoding", "if-none-match"] as const) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/**
 * Reads the body. Throws `payload_too_large` beyond the limit, and `invalid_request` if the body ends early or does not
 * arrive in time.
 */
function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > requestBytesMax) throw new ServiceError("payload_too_large");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const incomplete = (cause?: Error): void => {
      reject(new ServiceError("invalid_request", { description: "The body ended early.", cause }));
    };
    const timer = setTimeout(incomplete, requestMsMax);
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > requestBytesMax) reject(new ServiceError("payload_too_large"));
      else chunks.push(chunk);
    });
    request.on("end", () => {
      resolve(together(chunks));
    });
    request.on("error", incomplete);
    request.on("close", () => {
      clearTimeout(timer);
      if (!request.readableEnded) incomplete();
    });
  });
}

const together = ([first, ...more]: readonly Buffer[]): Buffer =>
  first !== undefined && more.length === 0 ? first : Buffer.concat(first === undefined ? [] : [first, ...more]);

/**
 * Asks one responder. Retries once if a kept-alive connection was closed at the moment of its use: that does not mean
 * that the responder is down.
 */
async function ask(dispatcher: Dispatcher, url: string, asked: Asked, msMax: number): Promise<Answer> {
  const until = performance.now() + msMax;
  try {
    return await askOnce(dispatcher, url, asked, msMax);
  } catch (error) {
    if (!wasClosed(error)) throw error;
    return askOnce(dispatcher, url, asked, Math.max(until - performance.now(), 0));
  }
}

/**
 * Sends one request. Avoids the streams and signals of undici's `request`, which cost as much as all the rest of the
 * work.
 */
const askOnce = (dispatcher: Dispatcher, origin: string, asked: Asked, msMax: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let request: Dispatcher.DispatchController | undefined;
    let late: Error | undefined;
    const timer = setTimeout(() => {
      late = new Error("no answer in time");
      request?.abort(late);
      reject(late);
    }, msMax);

    let status = 0;
    let headers: Record<string, string> = {};
    const chunks: Buffer[] = [];
    dispatcher.dispatch(
      { origin, ...asked },
      {
        onRequestStart(controller) {
          request = controller;
          if (late !== undefined) controller.abort(late);
        },
        onResponseStart(_, statusCode, answered) {
          status = statusCode;
          headers = kept(answered);
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          clearTimeout(timer);
          resolve({ status, headers, body: together(chunks) });
        },
        onResponseError(_, error) {
          clearTimeout(timer);
          reject(error);
        },
      },
    );
  });

const wasClosed = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "UND_ERR_SOCKET" || error.code === "ECONNRESET");

function kept(headers: IncomingHttpHeaders): Record<string, string> {
  const answer: Record<string, string> = {};
  for (const name of answerHeaders) {
    const value = headers[name];
    if (typeof value === "string") answer[name] = value;
  }
  return answer;
}

/** Sends a responder's response, or "try later" if there is none. A 5xx of a responder counts as no response. */
function send(response: ServerResponse, answer: Answer | undefined): void {
  const { status, headers, body } =
    answer === undefined || answer.status >= 500
      ? {
          // FreeRADIUS reads every response with status 200 that is not "good" as a refusal, "try later" included.
          status: 503,
          headers: { "content-type": "application/ocsp-response", "cache-control": "no-store", "retry-after": "1" },
          body: tryLater,
        }
      : answer;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (status !== 304) response.setHeader("Content-Length", body.length);
  response.end(body);
}
