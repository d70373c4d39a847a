import { Counter, Histogram, type Registry } from "prom-client";
import type { OcspMetrics } from "./messages.ts";
import type { OcspOutcome } from "./answer.ts";

export interface FigureCounter {
  count(outcome: OcspOutcome, seconds: number): void;
  /** What was counted since the last time; undefined for nothing. */
  take(): OcspMetrics | undefined;
}

/** Of more answers between two readings, only these durations are kept. */
const durationsMax = 10_000;

/** Counts answers until they are fetched. */
export function createMetricsCounter(): FigureCounter {
  let answers: OcspMetrics["answers"] = {};
  let durations: number[] = [];
  return {
    count(outcome, seconds) {
      answers[outcome] = (answers[outcome] ?? 0) + 1;
      if (durations.length < durationsMax) durations.push(seconds);
    },
    take() {
      if (durations.length === 0) return undefined;
      const metrics = { answers, seconds: Float64Array.from(durations) };
      answers = {};
      durations = [];
      return metrics;
    },
  };
}

/** Registers the responder's metrics, which the thread sends from time to time. */
export function registerMetrics(registry: Registry): (metrics: OcspMetrics) => void {
  const answers = new Counter({
    name: "realmpass_ocsp_answers_total",
    help: "OCSP answers by what they say: a certificate's status, or why there is none.",
    labelNames: ["status"],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "realmpass_ocsp_answer_seconds",
    help: "Time from an OCSP request's headers to its answer.",
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  return (metrics) => {
    for (const [status, count] of Object.entries(metrics.answers)) answers.inc({ status }, count);
    for (const each of metrics.seconds) seconds.observe(each);
  };
}
