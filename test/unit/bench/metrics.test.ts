import { describe, expect, it } from "vitest";
import { eventLoopDelayMs, meansBetween, writeMeans } from "../../bench/metrics.ts";

const steps = (...lines: [step: string, count: number, sum: number][]): string =>
  lines
    .flatMap(([step, count, sum]) => [
      `realmpass_issuance_step_seconds_bucket{le="0.01",step="${step}"} ${count}`,
      `realmpass_issuance_step_seconds_sum{step="${step}"} ${sum}`,
      `realmpass_issuance_step_seconds_count{step="${step}"} ${count}`,
    ])
    .join("\n");

const between = (before: Record<string, string>, after: Record<string, string>) =>
  meansBetween(before, after, "realmpass_issuance_step_seconds");

describe("the benchmark's reader of the service's metrics", () => {
  it("reads the delay of an event loop in milliseconds", () => {
    const text =
      "# TYPE realmpass_nodejs_eventloop_lag_p99_seconds gauge\nrealmpass_nodejs_eventloop_lag_p99_seconds 0.0125\n";
    expect(eventLoopDelayMs(text)).toBe(12.5);
    expect(eventLoopDelayMs("")).toBeNaN();
  });

  it("takes the mean of a histogram's observations between two readings, by label", () => {
    const before = { worker: steps(["sign", 10, 1], ["settle", 4, 4]) };
    const after = { worker: steps(["sign", 30, 2], ["settle", 6, 10]) };
    const means = between(before, after);
    expect(means.get("sign")).toEqual({ count: 20, mean: 0.05 });
    expect(means.get("settle")).toEqual({ count: 2, mean: 3 });
  });

  it("adds up processes, and leaves out what was not observed between the two readings", () => {
    const before = { api: steps(["accept", 1, 1]), worker: steps(["sign", 5, 5]) };
    const after = { api: steps(["accept", 3, 2]), worker: steps(["sign", 5, 5], ["accept", 2, 3]) };
    expect([...between(before, after)]).toEqual([["accept", { count: 4, mean: 1 }]]);
  });

  it("returns nothing if the service has no such histogram", () => {
    expect(between({ api: "" }, { api: "other_sum 3" }).size).toBe(0);
  });

  it("writes means with their labels", () => {
    const means = new Map([
      ["accept", { mean: 0.0021 }],
      ["sign", { mean: 0.0015 }],
    ]);
    expect(writeMeans(means, 1000)).toBe("accept 2.10, sign 1.50");
  });
});
