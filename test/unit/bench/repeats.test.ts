import { describe, expect, it } from "vitest";
import { writeOthers } from "../../bench/columns.ts";
import { untilQuiet } from "../../bench/load/index.ts";

const rounds = (...others: number[]) => {
  const left = others.map((each) => ({ others: each }));
  return () => Promise.resolve(left.shift() ?? expect.fail("one round too many"));
};

describe("a round during which others use the machine", () => {
  it("is repeated until the others use less than a tenth of it, and the quietest round comes first", async () => {
    expect(await untilQuiet({ quick: false }, rounds(0.3, 0.2, 0.04, 0.5))).toEqual([
      { others: 0.04 },
      { others: 0.2 },
      { others: 0.3 },
    ]);
  });

  it("is repeated three times at most", async () => {
    expect(await untilQuiet({ quick: false }, rounds(0.3, 0.4, 0.2, 0.5, 0))).toHaveLength(4);
  });

  it("is not repeated if it was quiet, or in a quick run", async () => {
    expect(await untilQuiet({ quick: false }, rounds(0.1, 0))).toHaveLength(1);
    expect(await untilQuiet({ quick: true }, rounds(0.9, 0))).toHaveLength(1);
  });

  it("is marked if no repetition was quiet", () => {
    expect(writeOthers([0.02, 0.03, 0.04])).toBe("3 %");
    expect(writeOthers([0.02, 0.03, 0.2])).toBe("3 % *");
  });
});
