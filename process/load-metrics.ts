import { Histogram, type Registry } from "prom-client";

/** Kinds of work that is done for several items together; see `createBatcher`. */
export type BatchName = "accept" | "holders" | "claim" | "collect";

/** The steps that the service performs for a single issuance, in order. */
export type IssuanceStep = "accept" | "task" | "claim" | "sign" | "settle" | "collect";

/** Shows where a process spends its time under load. */
export interface LoadMetrics {
  /** Returns a function that records the size of each batch of this kind. */
  batch: (batch: BatchName) => (size: number) => void;
  /** Returns a function that records how long this step took. */
  issuanceStep: (step: IssuanceStep) => (seconds: number) => void;
}

/** Registers the load metrics of one process; api and worker each have their own batches and steps. */
export function createLoadMetrics(registry: Registry): LoadMetrics {
  const batches = new Histogram({
    name: "realmpass_batch_size",
    help: "Requests or issuances that were processed together, by kind of work.",
    labelNames: ["batch"],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 200],
    registers: [registry],
  });
  const steps = new Histogram({
    name: "realmpass_issuance_step_seconds",
    help: "Time that a step of a single issuance took, by step; one that is shared by several is counted once.",
    labelNames: ["step"],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    batch: (batch) => (size) => {
      batches.observe({ batch }, size);
    },
    issuanceStep: (step) => (seconds) => {
      steps.observe({ step }, seconds);
    },
  };
}

/** Measures how long work takes, whether it succeeds or not. */
export async function timed<Result>(work: () => Promise<Result>, took: (seconds: number) => void): Promise<Result> {
  const from = performance.now();
  try {
    return await work();
  } finally {
    took((performance.now() - from) / 1000);
  }
}
