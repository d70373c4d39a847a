import { createServer } from "node:http";
import { collectDefaultMetrics, Registry } from "prom-client";
import { listenOnAnyway } from "../runtime/http-listener.ts";
import type { Log } from "../runtime/log.ts";

/** A registry with the process's own metrics in it. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "realmpass_" });
  return registry;
}

export interface MetricsServer {
  /** The port in use; of interest when any free one was asked for. */
  port: number;
  /** Whether another process had the port that was wanted. */
  wasTaken: boolean;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` in the Prometheus text format on a port of its own. A port that another process has is no reason
 * not to work: then any free one is taken, and the log says which.
 */
export async function serveMetrics({
  registry,
  host,
  port,
  log,
}: {
  registry: Registry;
  host: string;
  port: number;
  log: Log;
}): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  const { port: actual, wasTaken } = await listenOnAnyway(server, { host, port });
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
