import type { Measured } from "./load/index.ts";

/** One number of a scenario, with a value for each round: what a comparison of two builds sets side by side. */
export interface Figure {
  /** Which requests or rows it is about. */
  of: string;
  /** What was counted, with its unit. */
  what: string;
  values: readonly number[];
}

/** One figure, its values picked from the rounds. */
export const figureOf = <T>(of: string, what: string, rounds: readonly T[], pick: (round: T) => number): Figure => ({
  of,
  what,
  values: rounds.map(pick),
});

/** What every load says about a build: CPU time for each answer, throughput and latency. */
export const loadFigures = (of: string, rounds: readonly Measured[]): Figure[] => [
  figureOf(of, "CPU µs each", rounds, ({ cpuUs }) => cpuUs),
  figureOf(of, "per second", rounds, ({ perSecond }) => perSecond),
  figureOf(of, "p50 ms", rounds, ({ p50 }) => p50),
  figureOf(of, "p99 ms", rounds, ({ p99 }) => p99),
];
