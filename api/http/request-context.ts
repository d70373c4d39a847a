import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../../runtime/log.ts";
import type { ApiMetrics } from "./metrics.ts";

/** What belongs to one request from its first byte to the end of its answer. */
export interface RequestContext {
  id: string;
  /** The route's template. The URL itself is never logged: it may hold a token. */
  route: string;
  /** The caller, as far as the log may name it. */
  who: Readonly<Record<string, string>> | undefined;
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
    const context = createContext(log, response);
    (response as WithLocals).locals = { context };
    response.setHeader("X-Request-Id", context.id);
    response.once("close", () => {
      const seconds = (performance.now() - startedAt) / 1000;
      const { method = "" } = request;
      const { route, id: requestId, who } = context;
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.request({ method: knownMethods.has(method) ? method : "other", route, status }, seconds);
      lines[levelOf(route, status)](
        { event: "request", requestId, method, route, status, ms: Math.round(seconds * 1e5) / 100, ...who },
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

function createContext(log: Log, response: ServerResponse): RequestContext {
  const id = randomUUID();
  let ownLog: Log | undefined;
  let controller: AbortController | undefined;
  return {
    id,
    route: "unknown",
    who: undefined,
    log: () => (ownLog ??= log.child({ requestId: id })),
    signal() {
      if (controller === undefined) {
        const created = (controller = new AbortController());
        response.once("close", () => {
          if (!response.writableFinished) created.abort();
        });
      }
      return controller.signal;
    },
  };
}
