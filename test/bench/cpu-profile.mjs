// NODE_OPTIONS loads this module into each process of the service. When the process ends, the module writes a CPU
// profile into the directory named in its query. Plain JavaScript, because the compiled service runs without a
// compiler; NODE_OPTIONS does not allow `--cpu-prof`.
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
