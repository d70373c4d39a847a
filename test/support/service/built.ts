import { execFile, fork, type ChildProcess } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll } from "vitest";
import type { ProcessKind } from "../../../domain/process.ts";
import { createCleanup } from "../../bench/cleanup.ts";
import { buildCommit } from "../../bench/worktree.ts";
import { atEnd } from "../run/at-end.ts";
import { ended } from "../run/services.ts";

/** Builds a commit for the tests of this block. Returns a function that returns the build's directory. */
export function useBuildOf(commit: string): () => string {
  let tree = "";
  beforeAll(async () => {
    const cleanup = createCleanup();
    atEnd(() => cleanup.run());
    // Installs the commit's packages if they differ from today's.
    ({ tree } = await buildCommit(commit, cleanup));
  }, 900_000);
  return () => tree;
}

/** A compiled process of a build, which is stopped at the end of the test or file at the latest. */
export interface BuiltProcess {
  child: ChildProcess;
  /** Resolves with the log entry with which the process reports its start; rejects if the process ends earlier. */
  begun: Promise<unknown>;
}

/** Starts a process of the build in `tree`, with only `env` as its environment; appends its log to the file `log`. */
export function startBuilt(tree: string, kind: ProcessKind, env: Record<string, string>, log: string): BuiltProcess {
  const child = fork(join(tree, `dist/${kind}/main.js`), { env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  atEnd(() => ended(child, "SIGKILL"));
  const lines = createWriteStream(log, { flags: "a" });
  child.stdout?.pipe(lines);
  child.stderr?.pipe(lines);
  const begun = new Promise<unknown>((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => {
      reject(new Error(`${kind} did not start (exit code ${code})`));
    });
  });
  begun.catch(() => undefined);
  return { child, begun };
}

/** Returns a function that runs operator commands of a build and returns a command's output as an object. */
export const operatorOf =
  (tree: string, env: Record<string, string>) =>
  async (...argv: string[]): Promise<Record<string, unknown>> => {
    const args = [join(tree, "dist/operator/main.js"), ...argv, "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
