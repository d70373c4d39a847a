// NODE_OPTIONS loads this module into each process of the service. On SIGUSR2 the module collects all garbage and
// writes how many bytes of JavaScript and buffers remain, into the directory named in its query. Plain JavaScript,
// because the compiled service runs without a compiler.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

const directory = decodeURIComponent(new URL(import.meta.url).search.slice(1));

if (isMainThread) {
  process.on("SIGUSR2", () => {
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    const { heapUsed, external } = process.memoryUsage();
    const file = join(directory, `${process.pid}.live-memory`);
    writeFileSync(`${file}.new`, String(heapUsed + external));
    renameSync(`${file}.new`, file);
  });
}
