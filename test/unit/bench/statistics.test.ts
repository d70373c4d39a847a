import { describe, expect, it } from "vitest";
import { slope } from "../../bench/statistics.ts";

const line = (values: readonly number[]) => values.map((y, x) => ({ x, y }));

describe("the slope of the best-fitting line through some points", () => {
  it("equals the line's slope if all points are on one line", () => {
    expect(slope(line([3, 5, 7, 9]))).toBeCloseTo(2);
    expect(slope(line([8, 8, 8]))).toBe(0);
    expect(slope(line([9, 6, 3]))).toBeCloseTo(-3);
  });

  it("is zero if ups and downs cancel each other out", () => {
    expect(slope(line([1, 5, 1, 1, 5, 1]))).toBeCloseTo(0);
  });

  it("weighs every point, not only the first and the last", () => {
    expect(slope(line([0, 10, 10, 0]))).toBeCloseTo(0);
    expect(slope(line([0, 0, 10, 10]))).toBeCloseTo(4);
  });
});
