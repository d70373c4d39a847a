import type { Measured } from "./load/index.ts";

/** One number of a scenario, with a value for each round, for the comparison of two builds. */
export interface Figure {
  /** The requests or rows that the figure describes. */
  of: string;
  /** The quantity, with its unit. */
  what: string;
  values: readonly number[];
}

/** Returns a figure; `pick` returns its value for each round. */
export const figureOf = <T>(of: string, what: string, rounds: readonly T[], pick: (round: T) => number): Figure => ({
  of,
  what,
  values: rounds.map(pick),
});

/** Returns the figures that every load yields: CPU time for each response, throughput and latency. */
export const loadFigures = (of: string, rounds: readonly Measured[]): Figure[] => [
  figureOf(of, "CPU µs each", rounds, ({ cpuUs }) => cpuUs),
  figureOf(of, "per second", rounds, ({ perSecond }) => perSecond),
  figureOf(of, "p50 ms", rounds, ({ p50 }) => p50),
  figureOf(of, "p99 ms", rounds, ({ p99 }) => p99),
];
