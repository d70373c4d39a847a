import { describe, expect, it } from "vitest";
import { isComplete, readArguments, usage } from "../../bench/arguments.ts";

describe("the benchmark's command line", () => {
  it("names the commit to compare with", () => {
    expect(readArguments(["--against", "HEAD~1", "--quick", "single"])).toMatchObject({
      names: ["single"],
      quick: true,
      against: "HEAD~1",
    });
    expect(readArguments(["single"])).toMatchObject({ against: undefined });
  });

  it("refuses CPU profiles and statements of two builds in one place", () => {
    expect(() => readArguments(["--against", "HEAD", "--cpu-profiles", "profiles"])).toThrow("--cpu-profiles");
    expect(() => readArguments(["--against", "HEAD", "--statements"])).toThrow("--statements");
  });

  it("answers nothing to run when it is asked for its usage, which names every scenario", () => {
    expect(readArguments(["--help"])).toBeUndefined();
    expect(usage).toContain("fairness|overload|scale|memory");
  });

  it("refuses a scenario that it does not have, and names those that it has", () => {
    expect(() => readArguments(["single", "nonsense"])).toThrow(/there is no scenario nonsense: single, .*start/);
  });

  it("keeps results of full runs alone", () => {
    expect(readArguments(["--results", "kept", "single"])).toMatchObject({ results: "kept", document: false });
    expect(() => readArguments(["--results", "kept", "--quick"])).toThrow("--results");
    expect(() => readArguments(["--results", "kept", "--statements"])).toThrow("--results");
  });

  it("writes the document from results alone", () => {
    expect(readArguments(["--results", "kept", "--document"])).toMatchObject({ document: true });
    expect(() => readArguments(["--document"])).toThrow("--results");
  });

  it("takes a run of everything for complete, and no other", () => {
    const complete = (...args: string[]) => isComplete(readArguments(args) ?? expect.fail());
    expect(complete()).toBe(true);
    expect(complete("--results", "kept")).toBe(true);
    for (const less of [["--quick"], ["--backend", "redis"], ["--statements"], ["single"], ["--against", "HEAD"]]) {
      expect(complete(...less)).toBe(false);
    }
  });
});
