import { parseArgs } from "node:util";
import { scenarios, type ScenarioName } from "./scenarios/index.ts";

export interface Options {
  /** Scenarios to run, in the order of the list. */
  names: ScenarioName[];
  backends: ("redis" | "postgres")[];
  /** Does a tenth of the work to show that everything runs. Its figures must not be quoted. */
  quick: boolean;
  /**
   * The directory for Node's CPU profiles of the service's processes; undefined: no profiles. Profiling makes the
   * figures worse.
   */
  cpuProfiles: string | undefined;
  /** Prints the statements that took Postgres the most time. This makes the figures a little worse. */
  statements: boolean;
  /** The directory that receives each result as soon as it is known; undefined: results are not kept. */
  results: string | undefined;
  /** Writes the document from the kept results, without measuring. */
  document: boolean;
  /** The commit of the build to compare with; undefined: no comparison. */
  against: string | undefined;
}

export const usage = `usage: npm run bench -- [--quick] [--backend redis|postgres] [--results DIRECTORY [--document]] [--against COMMIT] [--cpu-profiles DIRECTORY] [--statements] [--help] [${Object.keys(scenarios).join("|")} …]
A full run of everything writes docs/benchmarks.md; other runs print what they find.
--results keeps each scenario's result in that directory as soon as it is known; with --document nothing is measured, and docs/benchmarks.md is written from what is there.
--statements prints the statements that took Postgres the most time in each scenario.
--against builds that commit in a temporary worktree, measures both builds in turn, and prints the ratio of each figure.`;

/**
 * Reads the command line. Returns undefined when the user asks only for the usage. Throws a TypeError that names the
 * mistake.
 */
export function readArguments(args: readonly string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: "boolean" },
      quick: { type: "boolean" },
      backend: { type: "string" },
      results: { type: "string" },
      document: { type: "boolean" },
      statements: { type: "boolean" },
      against: { type: "string" },
      "cpu-profiles": { type: "string" },
    },
  });
  if (values.help === true) return undefined;
  const {
    quick = false,
    backend,
    results,
    document = false,
    statements = false,
    against,
    "cpu-profiles": cpuProfiles,
  } = values;
  if (document && results === undefined) throw new TypeError("--document needs --results");
  if (results !== undefined && (quick || statements || against !== undefined || cpuProfiles !== undefined)) {
    throw new TypeError(
      "--results keeps figures of full runs alone: not with --quick, --statements, --against or --cpu-profiles",
    );
  }
  if (against !== undefined && (statements || cpuProfiles !== undefined)) {
    throw new TypeError("--cpu-profiles and --statements would mix both builds of --against");
  }
  if (backend !== undefined && backend !== "redis" && backend !== "postgres") {
    throw new TypeError(`there is no backend ${backend}`);
  }
  const unknown = positionals.find((name) => !Object.hasOwn(scenarios, name));
  if (unknown !== undefined)
    throw new TypeError(`there is no scenario ${unknown}: ${Object.keys(scenarios).join(", ")}`);
  const all = Object.keys(scenarios) as ScenarioName[];
  return {
    names: positionals.length === 0 ? all : all.filter((name) => positionals.includes(name)),
    backends: backend === undefined ? ["redis", "postgres"] : [backend],
    quick,
    cpuProfiles,
    statements,
    results,
    document,
    against,
  };
}

/** Returns whether a run is complete. Only a complete run's figures are kept. */
export const isComplete = ({ names, backends, quick, statements, cpuProfiles, against }: Options): boolean =>
  names.length === Object.keys(scenarios).length &&
  backends.length === 2 &&
  !quick &&
  !statements &&
  cpuProfiles === undefined &&
  against === undefined;
