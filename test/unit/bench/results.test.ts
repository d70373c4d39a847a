import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeDocument } from "../../bench/document.ts";
import { keepResult, readResults, type Result } from "../../bench/results.ts";

const result = (of: Pick<Result, "scenario" | "backend"> & Partial<Result>): Result => ({
  commit: "1bb19f7",
  machine: [["Processor", "AMD EPYC, 2 cores"]],
  floorUs: 180,
  outcome: { rows: [[`rows of ${of.scenario} on ${of.backend}`]], figures: [] },
  processes: [],
  ...of,
});

describe("results that the benchmark keeps", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "realmpass-results-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("are read in the order of the document, with a list of the missing ones", async () => {
    await keepResult(directory, result({ scenario: "start", backend: "postgres" }));
    await keepResult(directory, result({ scenario: "single", backend: "postgres" }));
    await keepResult(directory, result({ scenario: "single", backend: "redis" }));
    const { results, missing } = await readResults(directory);
    expect(results.map(({ scenario, backend }) => `${scenario} ${backend}`)).toEqual([
      "single redis",
      "single postgres",
      "start postgres",
    ]);
    expect(missing).toContainEqual({ scenario: "onboarding", backend: "redis" });
    expect(missing).not.toContainEqual({ scenario: "start", backend: "redis" });
  });

  it("are replaced by a later result of the same scenario and backend", async () => {
    await keepResult(directory, result({ scenario: "single", backend: "redis", commit: "9b890fa" }));
    const { results } = await readResults(directory);
    expect(results.filter(({ scenario, backend }) => scenario === "single" && backend === "redis")).toMatchObject([
      { commit: "9b890fa" },
    ]);
  });
});

describe("the benchmark's document", () => {
  it("has one section for each scenario, with the rows of both backends", () => {
    const text = writeDocument([
      result({ scenario: "single", backend: "redis" }),
      result({ scenario: "single", backend: "postgres" }),
      result({ scenario: "reads", backend: "redis" }),
    ]);
    expect(text.match(/^## .*$/gm)).toEqual(["## How to read it", "## Single profiles over HTTP", "## One user"]);
    expect(text).toContain("rows of single on redis");
    expect(text).toContain("rows of single on postgres");
  });

  it("begins with ten figures, all of which are in the kept results", async () => {
    const { results } = await readResults("test/bench/results");
    const [beginning = ""] = writeDocument(results).split("\n## ");
    expect(beginning.match(/^\| .* \| [\d,.]+ +\|$/gm)).toHaveLength(10);
  });

  it("names the commit, or each scenario's commit if they differ", () => {
    const of = (scenario: "single" | "reads", commit: string) => result({ scenario, backend: "redis", commit });
    expect(writeDocument([of("single", "1bb19f7"), of("reads", "1bb19f7")])).toMatch(/\| Commit +\| 1bb19f7 +\|/);
    expect(writeDocument([of("single", "1bb19f7"), of("reads", "9b890fa")])).toContain(
      "single: 1bb19f7; reads: 9b890fa",
    );
  });
});
