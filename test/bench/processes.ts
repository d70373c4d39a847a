import { parts, type Part } from "./cpu.ts";
import { eventLoopDelayMs, meansBetween, writeMeans, type Metrics } from "./metrics.ts";
import type { Service } from "./service.ts";
import { figure } from "./statistics.ts";

/** The memory and metrics of a service's processes at one moment: when a scenario began or ended. */
export interface Moment {
  memory: Record<Part, number>;
  metrics: Metrics;
}

/**
 * Reads the memory and metrics of this moment. The processes measure the delay of their event loops between two
 * readings.
 */
export const observe = async (service: Pick<Service, "memory" | "metrics">): Promise<Moment> => ({
  memory: service.memory(),
  metrics: await service.metrics(),
});

/**
 * Returns the p99 of the event-loop delay of api, worker and responder in ms, the MB of each part at the start and at
 * the end, and the batch sizes.
 */
export const processCells = (before: Moment, after: Moment): string[] => [
  ["api", "worker", "responder"].map((name) => figure(eventLoopDelayMs(after.metrics[name] ?? ""))).join(" / "),
  ...[before, after].map(({ memory }) => parts.map((part) => figure(memory[part] / 1e6)).join(" / ")),
  writeMeans(meansBetween(before.metrics, after.metrics, "realmpass_batch_size")) || "–",
];
