import type { Figure } from "./figures.ts";
import { figure, median } from "./statistics.ts";

/** `this`: the build of this tree. `other`: the build of the commit to compare with. */
export type Side = "this" | "other";

/** All figures of two paired runs of a scenario, one run on each side. */
export type Pair = Record<Side, readonly Figure[]>;

/**
 * Returns the order of runs: this, other, other, this, and so on. A machine that becomes slower affects both sides
 * equally.
 */
export const turns = (pairs: number): [Side, Side][] =>
  Array.from({ length: pairs }, (_, pair) => (pair % 2 === 0 ? ["this", "other"] : ["other", "this"]));

/** A figure, compared between the two sides. */
export interface Compared {
  of: string;
  what: string;
  /** The median over all pairs. */
  this: number;
  other: number;
  /** This side's value divided by the other's, in each pair: the median, the lowest and the highest. */
  ratio: { median: number; min: number; max: number };
}

/** Compares both sides' figures over all pairs, in the order of the first pair. */
export function comparePairs(pairs: readonly Pair[]): Compared[] {
  return (pairs[0]?.this ?? []).map(({ of, what }) => {
    const valueOf = (figures: readonly Figure[]): number =>
      median(figures.find((each) => each.of === of && each.what === what)?.values ?? []);
    const values = pairs.map((pair) => ({ this: valueOf(pair.this), other: valueOf(pair.other) }));
    const ratios = values.map((value) => value.this / value.other);
    return {
      of,
      what,
      this: median(values.map((value) => value.this)),
      other: median(values.map((value) => value.other)),
      ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
    };
  });
}

/** `0.72 (0.69–0.80)` */
export const writeRatio = ({ median: middle, min, max }: Compared["ratio"]): string =>
  `${figure(middle)} (${figure(min)}–${figure(max)})`;
