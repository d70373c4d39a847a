import { Gauge, type Registry } from "prom-client";
import { backupTimes } from "../../runtime/backup-times.ts";

/** Adds the times of dumps and of their copies to the metrics; 0: never, or the directory cannot be read. */
export function exposeBackupTimes(registry: Registry, directory: string): void {
  new Gauge({
    name: "realmpass_backup_seconds",
    help: "When the newest dump was complete, and when dumps and exports were last copied, in seconds since 1970; 0: never.",
    labelNames: ["what"],
    registers: [registry],
    collect() {
      const { dump, copy } = timesOrNone(directory);
      this.set({ what: "dump" }, (dump?.getTime() ?? 0) / 1_000);
      this.set({ what: "copy" }, (copy?.getTime() ?? 0) / 1_000);
    },
  });
}

function timesOrNone(directory: string): Partial<ReturnType<typeof backupTimes>> {
  try {
    return backupTimes(directory);
  } catch {
    return {};
  }
}
