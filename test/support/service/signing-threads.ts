import { Worker } from "node:worker_threads";
import { rolldown } from "rolldown";
import type { RunThread } from "../../../worker/signing/thread-handle.ts";

let bundled: Promise<string> | undefined;

/**
 * Returns a function that runs signing threads from one bundle of today's sources, as the build makes it. A thread that
 * loads the sources one by one takes half a second more of CPU, which was most of the cost of a test with threads.
 */
export async function bundledThreads(): Promise<RunThread> {
  const code = await (bundled ??= bundle());
  return (workerData) => new Worker(code, { eval: true, workerData, execArgv: [] });
}

async function bundle(): Promise<string> {
  const input = new URL("../../../worker/signing/thread.ts", import.meta.url).pathname;
  const build = await rolldown({ input, platform: "node" });
  try {
    const { output } = await build.generate({ format: "cjs" });
    return output[0].code;
  } finally {
    await build.close();
  }
}
