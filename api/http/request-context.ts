import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../../runtime/log.ts";
import type { ApiMetrics } from "./metrics.ts";

/** What a request is about that other processes' lines are about as well. */
export type Subject = Readonly<{ issuanceId: string } | { bulkJobId: string }>;

/** What belongs to one request from its first byte to the end of its answer. */
export interface RequestContext {
  /** Made here, never a client's: one that everybody could choose would lead to no line, or to several requests'. */
  id: string;
  /** The client's trace (W3C Trace Context), else one of this request's own. */
  traceId: string;
  /** The route's template. The URL itself is never logged: it may hold a token. */
  route: string;
  /** The caller, as far as the log may name it. */
  who: Readonly<Record<string, string>> | undefined;
  about: Subject | undefined;
  log: () => Log;
  /** Aborted when the client goes away before it is answered. */
  signal: () => AbortSignal;
}

/** Where Express keeps what belongs to a request; there for requests that it never sees as well. */
type WithLocals = ServerResponse & { locals: Record<string, unknown> };

/** The context of a request that has passed {@link beginRequest}. */
export const contextOf = (response: ServerResponse): RequestContext =>
  (response as WithLocals).locals["context"] as RequestContext;

/** Gives every request an id, and writes one log line and one observation when it is over. */
export function beginRequest({
  log,
  metrics,
}: {
  log: Log;
  metrics: Pick<ApiMetrics, "request">;
}): (request: IncomingMessage, response: ServerResponse) => void {
  // The fields of a request's line are all known below and hold no secret: nothing to look through.
  const lines = log.child({}, { redact: [] });
  return (request, response) => {
    const startedAt = performance.now();
    const context = createContext(log, request, response);
    (response as WithLocals).locals = { context };
    response.setHeader("X-Request-Id", context.id);
    response.once("close", () => {
      const seconds = (performance.now() - startedAt) / 1000;
      const { method = "" } = request;
      const { route, id: requestId, traceId, who, about } = context;
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.request({ method: knownMethods.has(method) ? method : "other", route, status }, seconds);
      lines[levelOf(route, status)](
        {
          ...{ event: "request", requestId, traceId, method, route, status, ms: Math.round(seconds * 1e5) / 100 },
          ...who,
          ...about,
        },
        status === 499 ? "the client went away" : "answered",
      );
    });
  };
}

/** What machines ask for all day long: an answer to that is worth a line only to somebody who looks for it. */
const healthRoutes: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/status"]);
const publicationRoutes: ReadonlySet<string> = new Set(["/ocsp/:issuer", "/crl/:file", "/ca/:file"]);

const levelOf = (route: string, status: number): "debug" | "info" =>
  healthRoutes.has(route) || (publicationRoutes.has(route) && status < 400) ? "debug" : "info";

/** Methods that get a label of their own; whatever else a client makes up shares one. */
const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** A `traceparent` of any version (W3C Trace Context, section 3.2); what a later one adds comes after a hyphen. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;

/** The trace that a request belongs to; undefined when it names none that is valid. */
export function traceOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  // Version 00 has these four parts and no more.
  if (header.startsWith("00-") && header.length !== 55) return undefined;
  return traceparent.exec(header)?.[1];
}

function createContext(log: Log, request: IncomingMessage, response: ServerResponse): RequestContext {
  const id = randomUUID();
  const traceId = traceOf(request.headers["traceparent"]) ?? id.replaceAll("-", "");
  let ownLog: Log | undefined;
  let controller: AbortController | undefined;
  return {
    id,
    traceId,
    route: "unknown",
    who: undefined,
    about: undefined,
    log: () => (ownLog ??= log.child({ requestId: id, traceId })),
    signal() {
      if (controller === undefined) {
        const created = (controller = new AbortController());
        const onClose = (): void => {
          if (!response.writableFinished) created.abort();
        };
        // The client may have left while its token was looked at.
        if (response.closed) onClose();
        else response.once("close", onClose);
      }
      return controller.signal;
    },
  };
}
