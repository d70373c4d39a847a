import { createServer, type ServerResponse } from "node:http";
import { collectDefaultMetrics, Registry } from "prom-client";
import { errorCatalogue } from "../domain/errors.ts";
import { listenOnAnyway } from "../runtime/http-listener.ts";
import { closingUnlessRead } from "../runtime/leftover.ts";
import type { Log } from "../runtime/log.ts";
import { notReady, readinessRetryAfterSeconds, readyData, type LookForReadiness } from "./readiness.ts";

/** Creates a registry with prom-client's default metrics of the process. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "realmpass_" });
  return registry;
}

export interface MetricsServer {
  /** The port in use; needed if any free port was requested. */
  port: number;
  /** Whether another process had the requested port. */
  wasTaken: boolean;
  close(): Promise<void>;
}

/** The default port. */
const usualPort = 9464;

/**
 * Serves `/metrics` in the Prometheus text format, `/healthz` and `/readyz` on a separate port. If another process has
 * the default port, takes any free port and logs it instead of failing.
 */
export async function serveMetrics({
  registry,
  readiness,
  host,
  port,
  usual = usualPort,
  log,
}: {
  registry: Registry;
  readiness: LookForReadiness;
  host: string;
  port: number;
  /** The default port. If it is taken, a free port replaces it. */
  usual?: number;
  log: Log;
}): Promise<MetricsServer> {
  const paths = new Map<string | undefined, (response: ServerResponse) => Promise<void>>([
    [
      "/metrics",
      async (response) => {
        const text = await registry.metrics();
        response.writeHead(200, { "content-type": registry.contentType }).end(text);
      },
    ],
    [
      "/healthz",
      (response) => {
        sendData(response, { status: "live" });
        return Promise.resolve();
      },
    ],
    [
      "/readyz",
      async (response) => {
        const found = await readiness();
        if (found.lacks.length === 0) {
          sendData(response, readyData(found));
          return;
        }
        response.setHeader("retry-after", String(readinessRetryAfterSeconds));
        sendJson(response, errorCatalogue.unavailable.status, {
          result: "error",
          code: errorCatalogue.unavailable.status,
          error: "unavailable",
          error_description: notReady(found),
          fields: found.lacks,
        });
      },
    ],
  ]);
  const server = createServer(
    closingUnlessRead((request, response) => {
      const answer = paths.get(request.url);
      if (answer === undefined) response.writeHead(404).end();
      else answer(response).catch(() => response.writeHead(500).end());
    }),
  );
  const { port: actual, wasTaken } = await listenOnAnyway(
    server,
    { host, port },
    { usual, variable: "REALMPASS_METRICS_PORT" },
  );
  if (wasTaken) {
    log.warn({ event: "metrics.port_taken", wanted: port, host }, "the metrics port is taken; using another");
  }
  log.info({ event: "metrics.listening", url: `http://${host}:${actual}/metrics` }, "metrics are served");
  return {
    port: actual,
    wasTaken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Wraps data as the API does, but without a request id, which this port does not assign. */
const sendData = (response: ServerResponse, data: unknown): void => {
  sendJson(response, 200, { result: "ok", code: 200, data });
};

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
    .end(JSON.stringify(body));
}
