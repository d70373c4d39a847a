import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Agent, type Dispatcher } from "undici";
import { ServiceError } from "../../domain/errors.ts";
import { ocspWaits } from "../../domain/ocsp-waits.ts";
import type { Deps } from "../contract/deps.ts";
import { problemErrors } from "../http/error-response.ts";
import type { ErrorFormat, PlainExchange, Route } from "../http/route.ts";
import { createOcspResponders } from "./ocsp-responders.ts";

/** The longest request that a responder reads. */
const requestBytesMax = 4_096;

/** No answer is longer: one for many certificates is a few kilobytes. */
const answerBytesMax = 65_536;

/** To one responder; what is more waits for one of them. */
const connectionsMax = 256;

/** How long a client may take to send its request. */
const requestMsMax = 8_000;

/** After an answer "try later" another responder is asked until then: one that answers so at once is busy, and another may not be. */
const afterTryLaterMsMax = 1_000;

/** OCSPResponse "try later" (RFC 6960 section 2.3). */
const tryLater = Buffer.from([0x30, 3, 0x0a, 1, 3]);

/** What of a responder's answer is its client's. */
const answerHeaders = ["content-type", "cache-control", "etag", "last-modified", "expires", "allow"];

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A route that needs nothing of Express. */
export interface OcspRoute extends Route<PlainExchange> {
  path: RegExp;
}

/**
 * `/ocsp/{issuer}`: passes requests on to a responder, to the next one when one does not answer, and says "try
 * later" when none does. Nothing of a request is read here but its length.
 */
export function ocspRoute(deps: { db: Deps["db"]; metrics: Pick<Deps["metrics"], "ocspProxied"> }): OcspRoute {
  const responders = createOcspResponders(deps);
  const agent = new Agent({
    connections: connectionsMax,
    connect: { timeout: ocspWaits.apiMs },
    maxResponseSize: answerBytesMax,
  });

  /** The first answer of any responder. The next one is asked as soon as one fails, answers "try later" or is slow. */
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

/** Beyond the limit the answer is OCSP's "try later"; what is not OCSP over HTTP is refused as HTTP. */
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

/** What the responder goes by, and who asked; nothing else is passed on. */
function headersOf(request: IncomingMessage, address: string): Record<string, string> {
  const headers: Record<string, string> = { "x-forwarded-for": address };
  for (const name of ["content-type", "content-encoding", "if-none-match"] as const) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** The body. Throws `payload_too_large` beyond the limit, `invalid_request` when it ends early or does not come. */
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
 * Asks one responder. A kept connection may have been closed at this very moment, which says nothing about the responder: then
 * it is asked once more. Asking twice does no harm.
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

/** Without the streams and signals of undici's `request`, which cost as much as the rest of asking. */
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

/** Sends a responder's answer, or "try later" in the absence of one. An answer 5xx of a responder is none. */
function send(response: ServerResponse, answer: Answer | undefined): void {
  const { status, headers, body } =
    answer === undefined || answer.status >= 500
      ? {
          // FreeRADIUS takes every answer with status 200 that is not "good" for a refusal, this one too.
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
