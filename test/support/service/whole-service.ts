import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect } from "vitest";
import { eventually } from "../run/eventually.ts";
import { ended, freePort, scratchDirectory } from "../run/services.ts";

/** `npm start` as a person runs it: compiled, in a directory of its own, with an environment that holds nothing else. */
export interface WholeService {
  child: ChildProcess;
  url: string;
  data: string;
  env: Record<string, string>;
  output(): string;
  errors(): string;
  /** Resolves when readiness says yes; rejects when the service ends instead. */
  ready(): Promise<void>;
  /** The command lines of what runs for this service, Postgres included, by process id. */
  processes(): Map<number, string>;
  /** Stops it and removes its directory. */
  stop(): Promise<void>;
}

export async function startWhole({
  data,
  port,
  env: extra = {},
  program = process.execPath,
  args = ["dist/start.js"],
}: {
  data?: string;
  port?: number;
  env?: Record<string, string>;
  program?: string;
  args?: string[];
} = {}): Promise<WholeService> {
  const directory = data ?? (await scratchDirectory("realmpass-start-"));
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
  // A process group of its own, so that nothing but what a test sends reaches it.
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const url = `http://127.0.0.1:${chosen}`;

  return {
    child,
    url,
    data: directory,
    env,
    output: () => output,
    errors: () => errors,
    ready: () =>
      eventually(
        async () => {
          if (child.exitCode !== null) throw new Error(`it ended: ${errors}`);
          expect((await fetch(`${url}/readyz`)).status).toBe(200);
        },
        { withinMs: 60_000 },
      ),
    processes: () => processesOf(directory),
    async stop() {
      await ended(child);
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** Every process that has this directory in its environment or arguments. */
function processesOf(directory: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const pid of readdirSync("/proc")
    .map(Number)
    .filter((number) => number > 0 && number !== process.pid)) {
    try {
      const [command, environment] = ["cmdline", "environ"].map((file) =>
        readFileSync(`/proc/${pid}/${file}`, "latin1"),
      );
      if (command?.includes(directory) || environment?.includes(directory)) found.set(pid, command ?? "");
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}
