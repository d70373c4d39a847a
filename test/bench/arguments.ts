import { parseArgs } from "node:util";
import { scenarios, type ScenarioName } from "./scenarios/index.ts";

export interface Options {
  /** Scenarios to run, in the order of the list. */
  names: ScenarioName[];
  backends: ("redis" | "postgres")[];
  /** A tenth of the work: to see that everything runs, not to quote figures from. */
  quick: boolean;
  /** Where Node's CPU profiles of the service's processes go; undefined: no profiles. Figures are worse with them. */
  cpuProfiles: string | undefined;
}

export const usage = `usage: npm run bench -- [--quick] [--backend redis|postgres] [--cpu-profiles DIRECTORY] [${Object.keys(scenarios).join("|")} …]
A full run of everything writes docs/benchmarks.md; other runs print what they find.`;

/** Reads the command line. Throws a TypeError that says what is wrong with it. */
export function readArguments(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { quick: { type: "boolean" }, backend: { type: "string" }, "cpu-profiles": { type: "string" } },
  });
  const { quick = false, backend } = values;
  if (backend !== undefined && backend !== "redis" && backend !== "postgres") {
    throw new TypeError(`there is no backend ${backend}`);
  }
  const unknown = positionals.find((name) => !Object.hasOwn(scenarios, name));
  if (unknown !== undefined) throw new TypeError(`there is no scenario ${unknown}`);
  const all = Object.keys(scenarios) as ScenarioName[];
  return {
    names: positionals.length === 0 ? all : all.filter((name) => positionals.includes(name)),
    backends: backend === undefined ? ["redis", "postgres"] : [backend],
    quick,
    cpuProfiles: values["cpu-profiles"],
  };
}

/** Whether a run's figures are the ones to keep. */
export const isComplete = ({ names, backends, quick, cpuProfiles }: Options): boolean =>
  names.length === Object.keys(scenarios).length && backends.length === 2 && !quick && cpuProfiles === undefined;
