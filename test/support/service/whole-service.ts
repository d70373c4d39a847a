import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect } from "vitest";
import { eventually } from "../run/eventually.ts";
import { copyDataDirectory, ended, freePort, scratchDirectory } from "../run/services.ts";

/** `npm start` as a person runs it: compiled, with a separate data directory and only `env` as its environment. */
export interface WholeService {
  child: ChildProcess;
  url: string;
  data: string;
  env: Record<string, string>;
  output(): string;
  errors(): string;
  /**
   * Resolves when the service reports that it is ready, in its log and at `path` (default: `/status`); rejects if it
   * ends instead.
   */
  ready(path?: string): Promise<void>;
  /**
   * Returns the command lines of all processes that the service has started and that still run, Postgres included, by
   * process id.
   */
  processes(): Map<number, string>;
  /** Stops the service and removes its directory. */
  stop(): Promise<void>;
}

export async function startWhole({
  data,
  port,
  env: extra = {},
  program = process.execPath,
  args = ["dist/start.js"],
}: {
  /** The data directory, which may be empty; omitted: a new one that contains only a Postgres cluster. */
  data?: string;
  port?: number;
  env?: Record<string, string>;
  program?: string;
  args?: string[];
} = {}): Promise<WholeService> {
  const directory = data ?? (await scratchDirectory("realmpass-start-"));
  if (data === undefined) await copyDataDirectory(directory);
  const chosen = port ?? (await freePort());
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: directory,
    PORT: String(chosen),
    REALMPASS_DATA_DIRECTORY: directory,
    REALMPASS_METRICS_PORT: "0",
    REALMPASS_RSA_KEY_POOL: "0",
    ...extra,
  };
  // A separate process group, so the service receives only the signals that a test sends.
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const processes = followProcesses(child);
  let output = "";
  let errors = "";
  const started = new Promise<void>((resolve, reject) => {
    let isReady = false;
    const follow = (): void => {
      if (isReady) return;
      // Notes the processes started so far, so that they are found even as orphans.
      processes();
      isReady = output.includes("is ready at");
      if (isReady) resolve();
    };
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      follow();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
      follow();
    });
    child.once("error", reject);
    child.once("close", () => {
      reject(new Error(`it ended: ${errors}`));
    });
  });
  started.catch(() => undefined);
  const url = `http://127.0.0.1:${chosen}`;

  return {
    child,
    url,
    data: directory,
    env,
    output: () => output,
    errors: () => errors,
    async ready(path = "/status") {
      await started;
      await eventually(async () => {
        expect((await fetch(`${url}${path}`)).status).toBe(200);
      });
    },
    processes,
    async stop() {
      await ended(child);
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/**
 * Returns a function that lists a process and its running descendants. A descendant that an earlier call found stays
 * listed after its parent has ended.
 */
function followProcesses({ pid: first }: ChildProcess): () => Map<number, string> {
  /** By process id: the start time, which distinguishes a process from a later one with the same id. */
  const known = new Map<number, string>();
  return () => {
    const running = runningProcesses();
    for (const [pid, began] of known) if (running.get(pid)?.began !== began) known.delete(pid);
    const remember = (pid: number): void => {
      const found = running.get(pid);
      if (found === undefined) return;
      known.set(pid, found.began);
      for (const [child, { parent }] of running) if (parent === pid) remember(child);
    };
    for (const pid of first === undefined ? [] : [first, ...known.keys()]) remember(pid);
    return new Map([...known.keys()].map((pid) => [pid, commandOf(pid)]));
  };
}

/** Returns all processes on this machine, with their parents: not every kernel lists the children of a process. */
function runningProcesses(): Map<number, { parent: number; began: string }> {
  const found = new Map<number, { parent: number; began: string }>();
  for (const pid of readdirSync("/proc").map(Number)) {
    if (!(pid > 0)) continue;
    try {
      const line = readFileSync(`/proc/${pid}/stat`, "latin1");
      // The fields after the name, which can contain anything: the state is the first, the start time the twentieth.
      const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
      const [state, parent] = fields;
      if (state !== "Z" && state !== "X") found.set(pid, { parent: Number(parent), began: fields[19] ?? "" });
    } catch {
      // The process ended while its file was being read.
    }
  }
  return found;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
