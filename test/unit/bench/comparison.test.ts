import { describe, expect, it } from "vitest";
import { comparePairs, turns, writeRatio, type Pair } from "../../bench/comparison.ts";

const cpu = (...values: number[]) => ({ of: "concurrency 32", what: "CPU µs each", values });
const rate = (...values: number[]) => ({ of: "concurrency 32", what: "per second", values });

describe("the comparison of two builds", () => {
  it("measures them in turn, and each pair begins with the build that ended the previous pair", () => {
    expect(turns(4).flat()).toEqual(["this", "other", "other", "this", "this", "other", "other", "this"]);
    expect(turns(1).flat()).toEqual(["this", "other"]);
  });

  it("divides this build's value by the other build's in each pair, and takes the median, the lowest and the highest", () => {
    const pairs: Pair[] = [
      { this: [cpu(700)], other: [cpu(1_000)] },
      { this: [cpu(1_600)], other: [cpu(2_000)] },
      { this: [cpu(900)], other: [cpu(1_500)] },
    ];
    const [compared] = comparePairs(pairs);
    expect(compared).toMatchObject({ this: 900, other: 1_500, ratio: { min: 0.6, max: 0.8 } });
    expect(compared?.ratio.median).toBeCloseTo(0.7);
  });

  it("takes the median of a build's rounds before it divides", () => {
    const [compared] = comparePairs([{ this: [cpu(10, 90, 20)], other: [cpu(40, 30, 900)] }]);
    expect(compared).toMatchObject({ this: 20, other: 40, ratio: { median: 0.5, min: 0.5, max: 0.5 } });
  });

  it("compares each figure with the figure of the same name, whatever the order of the other build's figures", () => {
    const compared = comparePairs([{ this: [cpu(50), rate(200)], other: [rate(100), cpu(100)] }]);
    expect(compared.map(({ what, ratio }) => [what, ratio.median])).toEqual([
      ["CPU µs each", 0.5],
      ["per second", 2],
    ]);
  });

  it("writes a ratio with its range", () => {
    expect(writeRatio({ median: 0.7251, min: 0.69, max: 0.804 })).toBe("0.73 (0.69–0.80)");
  });
});
