// Loaded into each process of the service by NODE_OPTIONS: writes a CPU profile when the process ends, into the
// directory named in this module's query. Plain JavaScript, because the compiled service runs without a compiler;
// `--cpu-prof` itself is not allowed in NODE_OPTIONS.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";
import process from "node:process";
import { isMainThread } from "node:worker_threads";

const directory = decodeURIComponent(new URL(import.meta.url).search.slice(1));

if (isMainThread) {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.start");
  process.once("exit", () => {
    session.post("Profiler.stop", (error, result) => {
      if (!error) writeFileSync(join(directory, `${process.pid}.cpuprofile`), JSON.stringify(result.profile));
    });
  });
}
