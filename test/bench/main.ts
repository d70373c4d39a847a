/** `npm run bench`: measures the running service and writes docs/benchmarks.md. See `usage`. */
import { writeFile } from "node:fs/promises";
import { isComplete, readArguments, usage, type Options } from "./arguments.ts";
import { createCleanup, type Cleanup } from "./cleanup.ts";
import { comparePairs, turns, writeRatio, type Pair, type Side } from "./comparison.ts";
import { writeDocument } from "./document.ts";
import type { Figure } from "./figures.ts";
import { measureFloor } from "./floor.ts";
import { describeMachine } from "./machine.ts";
import { observe, processCells } from "./processes.ts";
import { allParts, keepResult, readResults, type Part, type Result } from "./results.ts";
import { scenarios, type ScenarioName } from "./scenarios/index.ts";
import { backendNames, type Scenario } from "./scenarios/scenario.ts";
import { startService, type Backend, type Service } from "./service.ts";
import { writeStatements } from "./statements.ts";
import { figure } from "./statistics.ts";
import { table } from "./table.ts";
import { buildCommit, thisBuild } from "./worktree.ts";

const documentFile = "docs/benchmarks.md";

/** How many pairs are measured if the builds run one after the other. */
const pairsOf = (quick: boolean): number => (quick ? 2 : 4);

/** How many pairs are measured if both builds run at the same time. The first pair warms them up and does not count. */
const pairsInTurnOf = (quick: boolean): number => (quick ? 3 : 11);

async function main(): Promise<void> {
  let options: Options | undefined;
  try {
    options = readArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    process.exitCode = 2;
    return;
  }
  if (options === undefined) {
    process.stdout.write(`${usage}\n`);
    return;
  }

  const cleanup = createCleanup();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void cleanup.run().finally(() => process.exit(1));
    });
  }
  try {
    if (options.against !== undefined) {
      await compareAll(options, options.against, cleanup);
    } else if (options.document) {
      await documentFrom(options.results ?? "");
    } else {
      const { results, failed } = await runAll(options, cleanup);
      const document = writeDocument(results);
      process.stdout.write(document);
      if (failed > 0) process.exitCode = 1;
      else if (isComplete(options)) await writeFile(documentFile, document);
    }
  } catch (error) {
    say(textOf(error));
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

/** Writes the document from the kept results, without measuring. */
async function documentFrom(directory: string): Promise<void> {
  const { results, missing } = await readResults(directory);
  if (missing.length > 0) {
    const names = missing.map(({ scenario, backend }) => `${scenario} on ${backend}`);
    throw new Error(`${directory} has no result of ${names.join(", ")}`);
  }
  await writeFile(documentFile, writeDocument(results));
}

const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** Shows progress to the person who runs the benchmark; results go to standard output. */
const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Runs the chosen scenarios one after another. Reports a scenario that fails, and continues with the next. */
async function runAll(options: Options, cleanup: Cleanup): Promise<{ results: Result[]; failed: number }> {
  const { names, backends, results: directory } = options;
  const chosen = allParts.filter(({ scenario, backend }) => names.includes(scenario) && isAsked(scenario, backend));
  const results: Result[] = [];
  for (const [index, part] of chosen.entries()) {
    const startedAt = performance.now();
    say(`${part.scenario}, queue in ${part.backend} (${index + 1} of ${chosen.length}) …`);
    try {
      const result = await runPart(part, options, cleanup);
      results.push(result);
      if (directory !== undefined) await keepResult(directory, result);
      say(`${part.scenario}, queue in ${part.backend}: ${figure((performance.now() - startedAt) / 1000)} s`);
    } catch (error) {
      say(`${part.scenario}, queue in ${part.backend}, failed: ${textOf(error)}`);
      await cleanup.run();
    }
  }
  return { results, failed: chosen.length - results.length };

  /**
   * Returns whether a scenario runs with this backend. A scenario that names its backends always runs with them,
   * regardless of the requested ones.
   */
  function isAsked(scenario: ScenarioName, backend: Backend): boolean {
    return scenarios[scenario].backends !== undefined || backends.includes(backend);
  }
}

async function runPart(
  { scenario: name, backend }: Part,
  { quick, cpuProfiles, statements }: Options,
  cleanup: Cleanup,
): Promise<Result> {
  const { tree, name: commit } = thisBuild();
  const scenario: Scenario = scenarios[name];
  const floorUs = await measureFloor({ quick });
  const service = await startService({ backend, tree, env: scenario.env(quick), cpuProfiles, statements, cleanup });
  const machine = describeMachine(service);
  const before = await observe(service);
  const outcome = await scenario.run({ service, tree, floorUs, quick, once: quick, cleanup });
  const processes = processCells(before, await observe(service));
  if (statements) process.stdout.write(`${name}, queue in ${backend}:\n${await writeStatements(service.db)}\n\n`);
  await service.stop();
  return { scenario: name, backend, commit, machine, floorUs, outcome, processes };
}

/**
 * Runs both builds in turn, scenario by scenario, each time with a freshly started service; prints each scenario's
 * ratios as a table.
 */
async function compareAll({ names, backends, quick }: Options, against: string, cleanup: Cleanup): Promise<void> {
  const builds = { this: thisBuild(), other: await buildCommit(against, cleanup) };
  const floorUs = await measureFloor({ quick });
  const columns = ["scenario", "queue", "of", "figure", builds.other.name, builds.this.name, "ratio (range)"];
  for (const name of names) {
    const scenario: Scenario = scenarios[name];
    for (const backend of scenario.backends ?? backends) {
      const start = (side: Side): Promise<Service> =>
        startService({ backend, tree: builds[side].tree, env: scenario.env(quick), cleanup });
      const measure = async (side: Side): Promise<Figure[]> => {
        say(`${name}, queue in ${backend}, ${builds[side].name} …`);
        const { tree } = builds[side];
        const service = await start(side);
        const { figures } = await scenario.run({ service, tree, floorUs, quick, once: true, cleanup });
        await service.stop();
        return figures;
      };
      const { inTurn } = scenario;
      const pairs =
        inTurn === undefined
          ? await measurePairs(pairsOf(quick), measure)
          : await measureInTurn(pairsInTurnOf(quick), async (side) => {
              const service = await start(side);
              return { measurements: await inTurn({ service, cleanup }), stop: () => service.stop() };
            });
      const rows = comparePairs(pairs).map(({ of, what, this: mine, other, ratio }) => [
        name,
        backendNames[backend],
        of,
        what,
        figure(other),
        figure(mine),
        writeRatio(ratio),
      ]);
      process.stdout.write(`${table(columns, rows)}\n\n`);
    }
  }
}

/** Measures both sides, one after the other, for each pair. */
async function measurePairs(count: number, measure: (side: Side) => Promise<Figure[]>): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const order of turns(count)) {
    const pair: Pair = { this: [], other: [] };
    for (const side of order) pair[side] = await measure(side);
    pairs.push(pair);
  }
  return pairs;
}

/** Starts both sides, and measures each measurement on the two sides in turn. */
async function measureInTurn(
  count: number,
  start: (side: Side) => Promise<{ measurements: readonly (() => Promise<Figure[]>)[]; stop: () => Promise<void> }>,
): Promise<Pair[]> {
  const sides = { this: await start("this"), other: await start("other") };
  const pairs: Pair[] = [];
  for (const [turn, order] of turns(count).entries()) {
    say(`both in turn, ${turn + 1} of ${count} …`);
    const pair: Record<Side, Figure[]> = { this: [], other: [] };
    for (const index of sides.this.measurements.keys()) {
      for (const side of order) pair[side].push(...((await sides[side].measurements[index]?.()) ?? []));
    }
    if (turn > 0) pairs.push(pair);
  }
  await sides.this.stop();
  await sides.other.stop();
  return pairs;
}

await main();
