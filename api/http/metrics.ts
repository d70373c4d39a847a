import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { createLoadMetrics, type LoadMetrics } from "../../process/load-metrics.ts";

/** The API's metrics, in addition to those of its process. */
export interface ApiMetrics extends LoadMetrics {
  request: (labels: { method: string; route: string; status: number }, seconds: number) => void;
  issuanceWait: (outcome: "settled" | "late" | "gone", seconds: number) => void;
  enqueueFailed: () => void;
  revokedFeedWaiting: (clients: number) => void;
  revokedFeedLines: (lines: number) => void;
}

/** Registers the API's metrics. */
export function createApiMetrics(registry: Registry): ApiMetrics {
  const requests = new Histogram({
    name: "realmpass_http_request_seconds",
    help: "Time from a request's first byte to the end of its answer, by route.",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [registry],
  });
  const waits = new Histogram({
    name: "realmpass_issuance_wait_seconds",
    help: "How long requests waited for an issuance, by how the wait ended.",
    labelNames: ["outcome"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
    registers: [registry],
  });
  const enqueueFailures = new Counter({
    name: "realmpass_enqueue_failures_total",
    help: "Tasks that could not be put on the queue; what they are for is left to the sweep.",
    registers: [registry],
  });
  const feedWaiting = new Gauge({
    name: "realmpass_revoked_feed_waiting",
    help: "Clients that wait for revocations at this process.",
    registers: [registry],
  });
  const feedLines = new Counter({
    name: "realmpass_revoked_feed_lines_total",
    help: "Revocations that were told to clients, each as often as it was told.",
    registers: [registry],
  });
  return {
    ...createLoadMetrics(registry),
    request: ({ method, route, status }, seconds) => {
      requests.observe({ method, route, status: String(status) }, seconds);
    },
    issuanceWait: (outcome, seconds) => {
      waits.observe({ outcome }, seconds);
    },
    enqueueFailed: () => {
      enqueueFailures.inc();
    },
    revokedFeedWaiting: (clients) => {
      feedWaiting.set(clients);
    },
    revokedFeedLines: (lines) => {
      feedLines.inc(lines);
    },
  };
}
