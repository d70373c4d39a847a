import { parts } from "./cpu.ts";
import type { Measured } from "./load/index.ts";
import { figure, median, withRange } from "./statistics.ts";

/** The columns that a load has in every table: with `times`, its CPU time is also said as a multiple of something. */
export const loadColumns = ({ times }: { times?: string } = {}): string[] => [
  "per second",
  "p50 ms",
  "p95 ms",
  "p99 ms",
  "CPU µs each",
  ...(times === undefined ? [] : [`× ${times}`]),
  `${parts.join(" / ")} µs`,
  "others' CPU",
];

/** The cells of some rounds under {@link loadColumns}, medians; `baseUs` is the CPU time of what it is a multiple of. */
export function loadCells(rounds: readonly Measured[], baseUs?: number): string[] {
  const of = (pick: (round: Measured) => number): number => median(rounds.map(pick));
  const cpuUs = of((round) => round.cpuUs);
  return [
    withRange(rounds.map(({ perSecond }) => perSecond)),
    figure(of(({ p50 }) => p50)),
    figure(of(({ p95 }) => p95)),
    figure(of(({ p99 }) => p99)),
    figure(cpuUs),
    ...(baseUs === undefined ? [] : [figure(cpuUs / baseUs)]),
    parts.map((part) => figure(of(({ cpuUsByPart }) => cpuUsByPart[part]))).join(" / "),
    `${Math.round(of(({ others }) => others) * 100)} %`,
  ];
}
