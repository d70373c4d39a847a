/**
 * `npm run test:seeded [-- NUMBER|NAME ...]`: puts each fault of `test/seeded-faults.md` into a copy of the working
 * tree and runs the test that the list names. Exits with 1 if a test fails without its fault or passes with it.
 */
import { execFileSync, fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setup, teardown } from "../support/run/global-setup.ts";
import { startRedis, type Service } from "../support/run/services.ts";
import { choose, readFaults, withFault, type Fault } from "./fault-list.ts";
import type { LaneMessage, Tried, Verdict } from "./lane.ts";

/** How many faults are tried at a time, each in a separate copy. */
const lanes = 2;

const copies: string[] = [];
const children = new Set<ChildProcess>();
const services: Service[] = [];

async function main(words: readonly string[]): Promise<void> {
  const faults = choose(readFaults(await readFile("test/seeded-faults.md", "utf8")), words);
  for (const fault of faults) withFault(await readFile(fault.file, "utf8"), fault);
  const testFiles = [...new Set(faults.map(({ testFile }) => testFile))];
  const waiting = testFiles.map((file) => faults.filter(({ testFile }) => testFile === file));

  // One Postgres with one template for all runs: Vitest finds it in its environment.
  await setup();
  process.once("exit", leaveNothing);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.removeAllListeners(signal);
    process.once(signal, () => void stopServices().finally(() => process.exit(1)));
  }
  try {
    const verdicts = new Map<number, Verdict>();
    const report = ({ number, verdict, error }: Tried): void => {
      verdicts.set(number, verdict);
      process.stderr.write(`${verdicts.size}/${faults.length}  fault ${number}: ${verdict}  ${error}\n`);
    };
    await Promise.all((await environments()).map((env) => runLane(env, waiting, report)));
    print(faults, verdicts);
    if (faults.some(({ number }) => verdicts.get(number) !== "red")) process.exitCode = 1;
  } finally {
    await stopServices();
  }
}

/** Sends the groups of faults one after another to a process in a copy, until no group is left. */
async function runLane(env: NodeJS.ProcessEnv, waiting: Fault[][], report: (tried: Tried) => void): Promise<void> {
  const cwd = await copyWorkingTree();
  const child = fork(join(cwd, "test/seeded/lane.ts"), { cwd, env, execArgv: ["--import", "tsx"] });
  children.add(child);
  child.on("message", (message: LaneMessage) => {
    if (message !== "idle") {
      report(message);
      return;
    }
    const next = waiting.shift();
    if (next === undefined) child.disconnect();
    else child.send(next);
  });
  await once(child, "exit");
  children.delete(child);
}

/**
 * Returns an environment for each lane, each with a separate Redis, because otherwise the test processes of two lanes
 * would use the same databases.
 */
async function environments(): Promise<NodeJS.ProcessEnv[]> {
  const found = [{ ...process.env }];
  delete process.env["TEST_REDIS_URL"];
  while (found.length < lanes) {
    const redis = await startRedis();
    if (redis !== undefined) services.push(redis);
    found.push({ ...process.env, ...(redis && { TEST_REDIS_URL: redis.url }) });
  }
  return found;
}

/** Copies what git tracks or would track, links the installed packages, and returns the path of the copy. */
async function copyWorkingTree(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "realmpass-seeded-"));
  copies.push(copy);
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).toString();
  const files = listed.split("\0").filter((file) => file !== "");
  for (const folder of new Set(files.map(dirname))) await mkdir(join(copy, folder), { recursive: true });
  await Promise.all(files.map((file) => cp(file, join(copy, file))));
  await symlink(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
  return copy;
}

async function stopServices(): Promise<void> {
  for (const service of services.splice(0)) await service.stop();
  await teardown();
}

/** Ends the lanes and removes the copies, whatever ends this process. */
function leaveNothing(): void {
  for (const child of children) child.kill();
  for (const copy of copies) rmSync(copy, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function print(faults: readonly Fault[], verdicts: ReadonlyMap<number, Verdict>): void {
  const rows = faults.map(({ number, name, testFile, title }) => [
    String(number),
    name,
    verdicts.get(number) ?? "NOT RUN",
    `${testFile}: ${title}`,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) say(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  const red = rows.filter(([, , verdict]) => verdict === "red").length;
  say(`${red} of ${faults.length} faults are caught by the test beside the rule.`);
}

const say = (line: string): void => void process.stdout.write(`${line.trimEnd()}\n`);

await main(process.argv.slice(2));
