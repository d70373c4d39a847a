import { Counter, Histogram, type Registry } from "prom-client";
import type { OcspFigures } from "./messages.ts";
import type { OcspOutcome } from "./answer.ts";

export interface FigureCounter {
  count(outcome: OcspOutcome, seconds: number): void;
  /** What was counted since the last time; undefined for nothing. */
  take(): OcspFigures | undefined;
}

/** Of more answers between two readings, only these durations are kept. */
const durationsMax = 10_000;

/** Counts answers until they are fetched. */
export function createFigureCounter(): FigureCounter {
  let answers: OcspFigures["answers"] = {};
  let durations: number[] = [];
  return {
    count(outcome, seconds) {
      answers[outcome] = (answers[outcome] ?? 0) + 1;
      if (durations.length < durationsMax) durations.push(seconds);
    },
    take() {
      if (durations.length === 0) return undefined;
      const figures = { answers, seconds: Float64Array.from(durations) };
      answers = {};
      durations = [];
      return figures;
    },
  };
}

/** Registers the responder's figures, which the thread sends from time to time. */
export function registerFigures(registry: Registry): (figures: OcspFigures) => void {
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
  return (figures) => {
    for (const [status, count] of Object.entries(figures.answers)) answers.inc({ status }, count);
    for (const each of figures.seconds) seconds.observe(each);
  };
}
