/** `npm run bench`: measures the running service and writes docs/benchmarks.md. See `usage`. */
import { writeFile } from "node:fs/promises";
import { isComplete, readArguments, usage, type Options } from "./arguments.ts";
import { createCleanup, type Cleanup } from "./cleanup.ts";
import { writeDocument, type Findings } from "./document.ts";
import { measureFloor } from "./floor.ts";
import { describeMachine } from "./machine.ts";
import { scenarios } from "./scenarios/index.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { startService } from "./service.ts";

const documentFile = "docs/benchmarks.md";

async function main(): Promise<void> {
  let options: Options;
  try {
    options = readArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    process.exitCode = 2;
    return;
  }

  const cleanup = createCleanup();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void cleanup.run().finally(() => process.exit(1));
    });
  }
  try {
    const document = writeDocument(await runAll(options, cleanup));
    process.stdout.write(document);
    if (isComplete(options)) await writeFile(documentFile, document);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

async function runAll({ names, backends, quick, cpuProfiles }: Options, cleanup: Cleanup): Promise<Findings> {
  const findings: Findings = { machine: [], floorsUs: [], sections: [] };
  for (const name of names) {
    const scenario: Scenario = scenarios[name];
    const section: Findings["sections"][number] = { scenario, outcomes: [] };
    findings.sections.push(section);
    for (const backend of scenario.backends ?? backends) {
      process.stderr.write(`${name}, queue in ${backend} …\n`);
      const floorUs = await measureFloor({ quick });
      findings.floorsUs.push(floorUs);
      const service = await startService({ backend, env: scenario.env(quick), cpuProfiles, cleanup });
      if (findings.machine.length === 0) findings.machine = describeMachine(service);
      section.outcomes.push(await scenario.run({ service, floorUs, quick, cleanup }));
      await service.stop();
    }
  }
  return findings;
}

await main();
