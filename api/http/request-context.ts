import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../../runtime/log.ts";
import type { ApiMetrics } from "./metrics.ts";

/** The subject of a request, which log lines of other processes share. */
export type Subject = Readonly<{ issuanceId: string } | { bulkJobId: string }>;

/** The context of one request, from its first byte to the end of its response. */
export interface RequestContext {
  /**
   * Generated here, never taken from the client: an id that the client chose could match no log line, or lines of
   * several requests.
   */
  id: string;
  /** The client's trace (W3C Trace Context), else one generated for this request. */
  traceId: string;
  /** The route's template. The URL itself is never logged: it may hold a token. */
  route: string;
  /** The caller, as fields that may be logged. */
  who: Readonly<Record<string, string>> | undefined;
  about: Subject | undefined;
  log: () => Log;
  /** Aborted if the client disconnects before its response is complete. */
  signal: () => AbortSignal;
}

/** Express keeps a request's context in `locals`; requests that bypass Express use the same place. */
type WithLocals = ServerResponse & { locals: Record<string, unknown> };

/** Returns the context of a request that has passed {@link beginRequest}. */
export const contextOf = (response: ServerResponse): RequestContext =>
  (response as WithLocals).locals["context"] as RequestContext;

/**
 * Gives every request a context with an id. When its response ends, writes one log line and one observation; a complete
 * response is also counted for the client, if known.
 */
export function beginRequest({
  log,
  metrics,
  requestCounts,
}: {
  log: Log;
  metrics: Pick<ApiMetrics, "request">;
  requestCounts: { note: (clientId: string, status: number) => void };
}): (request: IncomingMessage, response: ServerResponse) => void {
  // All fields of a request's line are set below and contain no secret: redaction is not needed.
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
      const clientId = who?.["clientId"];
      if (clientId !== undefined && response.writableFinished) requestCounts.note(clientId, status);
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

/**
 * Machines poll the routes of both sets all day long: their requests are logged at debug level, except failed requests
 * of publications.
 */
const healthRoutes: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/status"]);
const publicationRoutes: ReadonlySet<string> = new Set(["/ocsp/:issuer", "/crl/:file", "/ca/:file"]);

const levelOf = (route: string, status: number): "debug" | "info" =>
  healthRoutes.has(route) || (publicationRoutes.has(route) && status < 400) ? "debug" : "info";

/** Methods with their own label in metrics; all other methods share one label. */
const knownMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A `traceparent` of any version (W3C Trace Context, section 3.2); later versions append fields after a hyphen. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;

/** Returns the trace id of a `traceparent`; undefined if it is missing or invalid. */
export function traceOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  // Version 00 has exactly four parts, 55 characters in total.
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
        // The client may have disconnected while its token was checked.
        if (response.closed) onClose();
        else response.once("close", onClose);
      }
      return controller.signal;
    },
  };
}
