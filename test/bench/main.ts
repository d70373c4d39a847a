/** `npm run bench`: measures the running service and writes docs/benchmarks.md. See `usage`. */
import { writeFile } from "node:fs/promises";
import { isComplete, readArguments, usage, type Options } from "./arguments.ts";
import { createCleanup, type Cleanup } from "./cleanup.ts";
import { comparePairs, turns, writeRatio, type Pair, type Side } from "./comparison.ts";
import { table, writeDocument, type Findings } from "./document.ts";
import type { Figure } from "./figures.ts";
import { measureFloor } from "./floor.ts";
import { describeMachine } from "./machine.ts";
import { scenarios } from "./scenarios/index.ts";
import { backendNames, type Scenario } from "./scenarios/scenario.ts";
import { startService } from "./service.ts";
import { figure } from "./statistics.ts";
import { buildCommit, thisBuild } from "./worktree.ts";

const documentFile = "docs/benchmarks.md";

/** How often both builds are measured beside each other. */
const pairsOf = (quick: boolean): number => (quick ? 2 : 4);

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
    if (options.against === undefined) {
      const document = writeDocument(await runAll(options, cleanup));
      process.stdout.write(document);
      if (isComplete(options)) await writeFile(documentFile, document);
    } else {
      process.stdout.write(await compareAll(options, options.against, cleanup));
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

async function runAll({ names, backends, quick, cpuProfiles }: Options, cleanup: Cleanup): Promise<Findings> {
  const { tree } = thisBuild();
  const findings: Findings = { machine: [], floorsUs: [], sections: [] };
  for (const name of names) {
    const scenario: Scenario = scenarios[name];
    const section: Findings["sections"][number] = { scenario, outcomes: [] };
    findings.sections.push(section);
    for (const backend of scenario.backends ?? backends) {
      process.stderr.write(`${name}, queue in ${backend} …\n`);
      const floorUs = await measureFloor({ quick });
      findings.floorsUs.push(floorUs);
      const service = await startService({ backend, tree, env: scenario.env(quick), cpuProfiles, cleanup });
      if (findings.machine.length === 0) findings.machine = describeMachine(service);
      section.outcomes.push(await scenario.run({ service, tree, floorUs, quick, once: quick, cleanup }));
      await service.stop();
    }
  }
  return findings;
}

/** Both builds in turn, scenario by scenario, each time with a service that was just started; the ratios as a table. */
async function compareAll({ names, backends, quick }: Options, against: string, cleanup: Cleanup): Promise<string> {
  const builds = { this: thisBuild(), other: await buildCommit(against, cleanup) };
  const floorUs = await measureFloor({ quick });
  const rows: string[][] = [];
  for (const name of names) {
    const scenario: Scenario = scenarios[name];
    for (const backend of scenario.backends ?? backends) {
      const measure = async (side: Side): Promise<Figure[]> => {
        process.stderr.write(`${name}, queue in ${backend}, ${builds[side].name} …\n`);
        const env = scenario.env(quick);
        const { tree } = builds[side];
        const service = await startService({ backend, tree, env, cpuProfiles: undefined, cleanup });
        const { figures } = await scenario.run({ service, tree, floorUs, quick, once: true, cleanup });
        await service.stop();
        return figures;
      };
      const pairs: Pair[] = [];
      for (const order of turns(pairsOf(quick))) {
        const pair: Pair = { this: [], other: [] };
        for (const side of order) pair[side] = await measure(side);
        pairs.push(pair);
      }
      for (const { of, what, this: mine, other, ratio } of comparePairs(pairs)) {
        rows.push([name, backendNames[backend], of, what, figure(other), figure(mine), writeRatio(ratio)]);
      }
    }
  }
  const columns = ["scenario", "queue", "of", "figure", builds.other.name, builds.this.name, "ratio (range)"];
  return `${table(columns, rows)}\n`;
}

await main();
