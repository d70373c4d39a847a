import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scenarios, type ScenarioName } from "./scenarios/index.ts";
import type { Outcome } from "./scenarios/scenario.ts";
import type { Backend } from "./service.ts";

/** The result of one scenario with one backend, as stored in a file. */
export interface Result {
  scenario: ScenarioName;
  backend: Backend;
  /** The build that was measured. */
  commit: string;
  /** The machine that ran the benchmark, as rows of a table. */
  machine: [string, string][];
  /** CPU microseconds of the floor, measured immediately before. */
  floorUs: number;
  outcome: Outcome;
  /** Cells of {@link processCells}. */
  processes: string[];
}

/** A scenario with one of its backends. */
export type Part = Pick<Result, "scenario" | "backend">;

/** All parts, in the order of the document. */
export const allParts: readonly Part[] = (Object.keys(scenarios) as ScenarioName[]).flatMap((scenario) =>
  (scenarios[scenario].backends ?? (["redis", "postgres"] as const)).map((backend) => ({
    scenario,
    backend,
  })),
);

const fileOf = ({ scenario, backend }: Part): string => `${scenario}-${backend}.json`;

/** Stores a result in the directory, replacing an earlier result of the same scenario and backend. */
export async function keepResult(directory: string, result: Result): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, fileOf(result)), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** Returns the results in the directory, in the order of the document, and the parts without a result. */
export async function readResults(directory: string): Promise<{ results: Result[]; missing: Part[] }> {
  const names = new Set(await readdir(directory));
  const missing = allParts.filter((part) => !names.has(fileOf(part)));
  const results = await Promise.all(
    allParts
      .filter((part) => names.has(fileOf(part)))
      .map(async (part) => JSON.parse(await readFile(join(directory, fileOf(part)), "utf8")) as Result),
  );
  return { results, missing };
}
