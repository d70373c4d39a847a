import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** Whether the program runs from its TypeScript sources and not from `dist`. */
export const runsFromSource = import.meta.url.endsWith(".ts");

/** The folder that this file's own folder is in, among the sources as in `dist`: the build puts it into `dist/chunks`. */
const top = new URL("../", import.meta.url);

/** A file of the program by its path among the sources, which in `dist` is the same. */
export const programFile = (path: string): URL => new URL(path, top);

/** The version of the program that runs, as package.json has it. */
export function programVersion(): string {
  const text = readFileSync(programFile(runsFromSource ? "package.json" : "../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** The commit that a release was packed from; empty for what was built in a checkout. */
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
 * Starts a thread: the entry, a path without its ending, is plain JavaScript in `dist`. From source it is TypeScript, which Node 20
 * cannot run: tsx is registered first, by a line of JavaScript of its own, because a worker ignores `--import`.
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
