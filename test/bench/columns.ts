import { parts, type CpuByPart } from "./cpu.ts";
import { othersMax, type Measured } from "./load/index.ts";
import { figure, median, withRange } from "./statistics.ts";

/**
 * Returns the columns that a load has in every table. With `times`, one more column shows its CPU time as a multiple of
 * the base that `times` names.
 */
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

/**
 * Returns the share of the machine that other processes used in some rounds; marked if the share was too large in any
 * round.
 */
export const writeOthers = (others: readonly number[]): string =>
  `${Math.round(median(others) * 100)} %${others.some((each) => each > othersMax) ? " *" : ""}`;

/** Returns the CPU time of each part of the service. */
export const writeParts = (cpu: CpuByPart): string => parts.map((part) => figure(cpu[part])).join(" / ");

/**
 * Returns the cells of some rounds under {@link loadColumns}, as medians. The multiple is relative to the CPU time
 * `baseUs`, and empty if `baseUs` is null.
 */
export function loadCells(rounds: readonly Measured[], baseUs?: number | null): string[] {
  const of = (pick: (round: Measured) => number): number => median(rounds.map(pick));
  const cpuUs = of((round) => round.cpuUs);
  return [
    withRange(rounds.map(({ perSecond }) => perSecond)),
    figure(of(({ p50 }) => p50)),
    figure(of(({ p95 }) => p95)),
    figure(of(({ p99 }) => p99)),
    figure(cpuUs),
    ...(baseUs === undefined ? [] : [baseUs === null ? "" : figure(cpuUs / baseUs)]),
    writeParts(Object.fromEntries(parts.map((part) => [part, of((r) => r.cpuUsByPart[part])])) as CpuByPart),
    writeOthers(rounds.map(({ others }) => others)),
  ];
}
