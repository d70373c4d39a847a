import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ended } from "../support/run/services.ts";
import type { Cleanup } from "./cleanup.ts";

/** A build of the service: the directory of its files, and its name in a table. */
export interface Build {
  tree: string;
  name: string;
}

/** Returns the build of the files in the current directory, which `npm run bench` has brought up to date. */
export function thisBuild(): Build {
  const tree = resolve(".");
  try {
    const changed = git("status", "--porcelain", "--", ":!docs", ":!test") !== "";
    const name = git("rev-parse", "--short", "HEAD");
    return { tree, name: `${name}${changed ? ", with changes that are not committed yet" : ""}` };
  } catch {
    return { tree, name: "unknown" };
  }
}

/** Checks a commit out into a new directory, which the cleanup removes, and builds it there. */
export async function buildCommit(commit: string, cleanup: Cleanup): Promise<Build> {
  const name = git("rev-parse", "--short", "--verify", "--end-of-options", `${commit}^{commit}`);
  const directory = await mkdtemp(join(tmpdir(), "realmpass-against-"));
  cleanup.add(() => rm(directory, { recursive: true, force: true }));
  const tree = join(directory, "tree");
  const run = (program: string, args: string[], cwd: string): Promise<void> => runProgram(program, args, cwd, cleanup);

  cleanup.add(async () => {
    if (existsSync(join(tree, ".git"))) await run("git", ["worktree", "remove", "--force", tree], ".");
  });
  await run("git", ["worktree", "add", "--detach", tree, name], ".");
  if (await sameFile("package-lock.json", join(tree, "package-lock.json"))) {
    await symlink(resolve("node_modules"), join(tree, "node_modules"));
  } else {
    await run("npm", ["ci"], tree);
  }
  await run(process.execPath, ["build.mjs"], tree);
  return { tree, name };
}

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();

/**
 * Runs a program until it exits, with its output on stderr. If the program is still running at the cleanup, the cleanup
 * stops it.
 */
async function runProgram(program: string, args: readonly string[], cwd: string, cleanup: Cleanup): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", process.stderr, process.stderr] });
  if (child.pid !== undefined) cleanup.add(() => ended(child));
  await new Promise<void>((resolveRun, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolveRun();
      else reject(new Error(`${program} ${args.join(" ")} ended with exit code ${code}`));
    });
  });
}

const sameFile = async (one: string, other: string): Promise<boolean> =>
  (await readFile(one)).equals(await readFile(other));
