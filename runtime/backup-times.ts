import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** When the database was last dumped, and when dumps and exports were last copied elsewhere; undefined: never. */
export interface BackupTimes {
  dump: Date | undefined;
  copy: Date | undefined;
}

/**
 * Reads the times of the last dump and the last copy from the directory of dumps (REALMPASS_BACKUP_DIRECTORY). A dump
 * gets its final name only when it is complete, and a successful copy touches the file `copied`. Throws a system error
 * if the directory cannot be read; a missing directory counts as empty.
 */
export function backupTimes(directory: string): BackupTimes {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) return { dump: undefined, copy: undefined };
  const dumps = readdirSync(directory)
    .filter((name) => /^realmpass-\w+\.dump$/.test(name))
    .map((name) => statSync(join(directory, name)))
    .filter(({ size }) => size > 0)
    .map(({ mtimeMs }) => mtimeMs);
  return {
    dump: dumps.length === 0 ? undefined : new Date(Math.max(...dumps)),
    copy: statSync(join(directory, "copied"), { throwIfNoEntry: false })?.mtime,
  };
}
