import { Counter, Histogram, type Registry } from "prom-client";
import type { OcspOutcome } from "./answer.ts";

/** Registers the responder's metrics. The returned function counts one answer. */
export function createOcspMetrics(registry: Registry): (outcome: OcspOutcome, seconds: number) => void {
  const answers = new Counter({
    name: "realmpass_ocsp_answers_total",
    help: "OCSP responses by certificate status, or by the reason why there is none.",
    labelNames: ["status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "realmpass_ocsp_answer_seconds",
    help: "Time from an OCSP request's headers to its answer.",
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  return (status, seconds) => {
    answers.inc({ status });
    durations.observe(seconds);
  };
}
