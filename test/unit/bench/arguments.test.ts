import { describe, expect, it } from "vitest";
import { isComplete, readArguments, usage } from "../../bench/arguments.ts";
import { scenarios } from "../../bench/scenarios/index.ts";

describe("the benchmark's command line", () => {
  it("names the commit to compare with", () => {
    expect(readArguments(["--against", "HEAD~1", "--quick", "single"])).toMatchObject({
      names: ["single"],
      quick: true,
      against: "HEAD~1",
    });
    expect(readArguments(["single"])).toMatchObject({ against: undefined });
  });

  it("refuses CPU profiles and statements of two builds in one directory", () => {
    expect(() => readArguments(["--against", "HEAD", "--cpu-profiles", "profiles"])).toThrow("--cpu-profiles");
    expect(() => readArguments(["--against", "HEAD", "--statements"])).toThrow("--statements");
  });

  it("runs nothing with --help, and its usage names every scenario", () => {
    expect(readArguments(["--help"])).toBeUndefined();
    expect(usage).toContain("fairness|overload|scale|memory");
    for (const name of Object.keys(scenarios)) expect(usage).toContain(name);
  });

  it("refuses an unknown scenario, and names the known ones", () => {
    expect(() => readArguments(["single", "nonsense"])).toThrow(/there is no scenario nonsense: single, .*start/);
  });

  it("keeps only results of full runs", () => {
    expect(readArguments(["--results", "kept", "single"])).toMatchObject({ results: "kept", document: false });
    expect(() => readArguments(["--results", "kept", "--quick"])).toThrow("--results");
    expect(() => readArguments(["--results", "kept", "--statements"])).toThrow("--results");
  });

  it("writes the document only from kept results", () => {
    expect(readArguments(["--results", "kept", "--document"])).toMatchObject({ document: true });
    expect(() => readArguments(["--document"])).toThrow("--results");
  });

  it("counts only a run of everything as complete", () => {
    const complete = (...args: string[]) => isComplete(readArguments(args) ?? expect.fail());
    expect(complete()).toBe(true);
    expect(complete("--results", "kept")).toBe(true);
    for (const less of [["--quick"], ["--backend", "redis"], ["--statements"], ["single"], ["--against", "HEAD"]]) {
      expect(complete(...less)).toBe(false);
    }
  });
});
