import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** Whether the program runs from its TypeScript sources and not from `dist`. */
export const runsFromSource = import.meta.url.endsWith(".ts");

/** The parent of this file's folder, in the sources and in `dist` alike: the build puts this file into `dist/chunks`. */
const top = new URL("../", import.meta.url);

/** Returns the URL of a program file by its path in the sources, which is the same in `dist`. */
export const programFile = (path: string): URL => new URL(path, top);

/** Returns the version of the running program, from package.json. */
export function programVersion(): string {
  const text = readFileSync(programFile(runsFromSource ? "package.json" : "../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** Returns the commit that a release was packed from; empty for a build in a checkout. */
export function buildCommit(): string {
  if (runsFromSource) return "";
  try {
    const info = JSON.parse(readFileSync(programFile("build-info.json"), "utf8")) as { commit?: string };
    return info.commit ?? "";
  } catch {
    return "";
  }
}

/**
 * Starts a thread. The entry, a path without its ending, is plain JavaScript in `dist`. In the sources it is
 * TypeScript, which Node 20 cannot run: a line of JavaScript registers tsx first, because a worker thread ignores
 * `--import`.
 */
export function startThread(
  entry: "worker/signing/thread" | "worker/issuance/rsa-key-thread",
  workerData: unknown,
): Worker {
  if (!runsFromSource) return new Worker(programFile(`${entry}.js`), { workerData });
  const tsx = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const source = JSON.stringify(programFile(`${entry}.ts`).href);
  const start = `import(${tsx}).then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(start, { eval: true, workerData, execArgv: [] });
}
