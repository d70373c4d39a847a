import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { installedPackageDirectory } from "../../../embedded-postgres/binaries.ts";
import { embeddedPostgresFiles } from "../../../embedded-postgres/files.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from "../../../embedded-postgres/embedded-postgres.ts";
import { atEnd } from "../../support/run/at-end.ts";
import { copyDataDirectory, scratchDirectory } from "../../support/run/services.ts";

const starterScript = fileURLToPath(new URL("./starter.ts", import.meta.url));
const tsx = createRequire(import.meta.url).resolve("tsx");

export const isRoot = process.getuid?.() === 0;
export const nobody = 65534;

/** Makes a directory for one test; any server left in it ends with the test. */
export const temporaryDirectory = async (): Promise<string> =>
  clearedAtEnd(await mkdtemp(join(tmpdir(), "embedded-postgres-test-")));

/** Makes a directory for one test with a cluster in it, for tests that are not about making a cluster. */
export async function directoryWithCluster(): Promise<string> {
  const path = clearedAtEnd(await scratchDirectory("embedded-postgres-test-"));
  await copyDataDirectory(path);
  return path;
}

function clearedAtEnd(path: string): string {
  atEnd(async () => {
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      if (entry.name === "postmaster.pid") await endPostmaster(join(entry.parentPath, entry.name));
    }
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  return path;
}

async function endPostmaster(pidFile: string): Promise<void> {
  const pid = Number((await readFile(pidFile, "utf8")).split("\n")[0]);
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  if (!command.includes("postgres\0-D")) return;
  process.kill(pid, "SIGKILL");
  await eventually(() => hasEnded(pid));
}

/** Starts a server in this process, and stops it after the test. */
export async function start(options: Partial<EmbeddedPostgresOptions> & { dataDirectory: string }) {
  const logged: unknown[] = [];
  const record = (fields: object, message: string) => logged.push({ ...fields, message });
  const postgres = await startEmbeddedPostgres({ log: { info: record, error: record }, ...options });
  atEnd(() => postgres.stop());
  return { ...postgres, pid: await postmasterPid(options.dataDirectory), logged };
}

/** Starts a server in a separate process, and kills the process after the test if it still runs. */
export function startInProcess(
  options: Partial<EmbeddedPostgresOptions> & { dataDirectory: string },
  user: { uid?: number; gid?: number } = {},
) {
  const child = spawn(process.execPath, ["--import", tsx, starterScript, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
    ...user,
  });
  const exited = once(child, "exit");
  atEnd(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const answer = once(createInterface(child.stdout), "line").then(
    ([line]) => JSON.parse(String(line)) as Partial<Pick<EmbeddedPostgres, "url" | "adopted">> & { error?: string },
  );
  return {
    pid: child.pid!,
    answer,
    exited,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

/** Returns the rows of one statement. */
export async function query(url: string, sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
  const client = await connect(url);
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

export async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

export async function postmasterPid(dataDirectory: string): Promise<number> {
  return Number((await readFile(embeddedPostgresFiles(dataDirectory).postmasterPid, "utf8")).split("\n")[0]);
}

export async function hasEnded(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
  return /\) [ZX]/.test(status);
}

export async function eventually(condition: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${condition.toString()}`);
    await delay(10);
  }
}

/** Copies the package as npm unpacks it: without the symbolic links that its install script would make. */
export async function copyOfPackage(target: string): Promise<string> {
  const installed = installedPackageDirectory()!;
  const list = JSON.parse(await readFile(join(installed, "native", "pg-symlinks.json"), "utf8")) as {
    target: string;
  }[];
  const links = new Set(list.map((link) => join(installed, link.target)));
  await cp(installed, target, { recursive: true, filter: (source) => !links.has(source) && !source.endsWith(".a") });
  return target;
}
