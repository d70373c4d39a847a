import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/run/services.ts";
import { cpuTotal, readCpu } from "../cpu.ts";
import { figureOf } from "../figures.ts";
import { launch } from "../service.ts";
import { withRange } from "../statistics.ts";
import type { Run, Scenario } from "./scenario.ts";

const rounds = 5;

interface Taken {
  seconds: number;
  /** Undefined for stopping: the cost of ended processes cannot be read. */
  cpuSeconds?: number;
}

const commands = {
  "`realmpass --help`": ["dist/cli/main.js", "--help"],
  "`operator --help`": ["dist/operator/main.js", "--help"],
} as const;

/** Measures the time that a person waits for a service to start, and for a command to begin. */
export const start: Scenario = {
  title: "Starting and stopping",
  about: `\`npm start\` without its check of the build, ${rounds} times: in an empty data directory until it is ready; from SIGTERM until the last process has ended; again in the same directory.`,
  columns: ["what", "seconds", "CPU s"],
  keptOnly: { columns: ["CPU s"] },
  backends: ["postgres"],
  env: () => ({}),

  async run(run) {
    const taken = new Map<string, Taken[]>();
    const note = (what: string, each: Taken): void => void taken.set(what, [...(taken.get(what) ?? []), each]);
    for (let round = 0; round < (run.once ? 1 : rounds); round++) {
      await startTwice(run, note);
      for (const [what, args] of Object.entries(commands)) note(what, runCommand(run.tree, args));
    }
    return {
      rows: [...taken].map(([what, all]) => [
        what,
        withRange(all.map(({ seconds }) => seconds)),
        withRange(all.flatMap(({ cpuSeconds }) => cpuSeconds ?? [])),
      ]),
      figures: [...taken].flatMap(([what, all]) => [
        figureOf(what, "seconds", all, ({ seconds }) => seconds),
        ...(all.some(({ cpuSeconds }) => cpuSeconds === undefined)
          ? []
          : [figureOf(what, "CPU s", all, ({ cpuSeconds }) => cpuSeconds ?? Number.NaN)]),
      ]),
    };
  },
};

async function startTwice({ tree, cleanup }: Run, note: (what: string, taken: Taken) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-bench-"));
  const removeDirectory = cleanup.add(() => rm(directory, { recursive: true, force: true }));
  for (const what of ["first start", "later start"]) {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: directory,
      REALMPASS_DATA_DIRECTORY: join(directory, "data"),
      PORT: String(await freePort()),
      REALMPASS_METRICS_PORT: "0",
      REALMPASS_OCSP_PORT: String(await freePort()),
      REALMPASS_RSA_KEY_POOL: "0",
    };
    const startedAt = performance.now();
    const { pid, stop } = await launch(tree, env, cleanup);
    note(what, { seconds: secondsSince(startedAt), cpuSeconds: cpuTotal(readCpu([pid])) / 1_000_000 });
    const stoppedAt = performance.now();
    await stop();
    note("stop", { seconds: secondsSince(stoppedAt) });
  }
  await removeDirectory();
}

function runCommand(tree: string, args: readonly string[]): Taken {
  // An ended child's time counts with this process, which is otherwise idle.
  const before = cpuTotal(readCpu([process.pid]));
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, [...args], { cwd: tree, stdio: "ignore" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with exit code ${status}`);
  const seconds = secondsSince(startedAt);
  return { seconds, cpuSeconds: (cpuTotal(readCpu([process.pid])) - before) / 1_000_000 };
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;
