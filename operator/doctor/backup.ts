import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../context/context.ts";
import { fails, passes, warns, type Check } from "./check.ts";

const hourMs = 3_600_000;

/** A daily dump is a warning when it is this old, as one was missed. */
const dueHours = 30;

/** And a failure when it is this old, as two were missed. */
const missedHours = 54;

const remedy =
  "Look at `systemctl list-timers realmpass-backup.timer` and `journalctl -u realmpass-backup`, and run `systemctl start realmpass-backup`.";

/**
 * Checks the age of the newest dump in REALMPASS_BACKUP_DIRECTORY, which only a complete dump gets its name in. Returns
 * no check if the variable is not set: dumps are then made in another way.
 */
export function checkBackup({ config, clock }: Pick<Context, "config" | "clock">): Check[] {
  const directory = config.REALMPASS_BACKUP_DIRECTORY;
  if (directory === undefined) return [];
  let newest: Date | undefined;
  try {
    newest = newestDump(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [warns("backup", `not known: ${directory} cannot be read (${code})`, `Run chmod 755 ${directory}.`)];
  }
  if (newest === undefined) return [warns("backup", `there is no dump of the database in ${directory}`, remedy)];
  const hours = Math.floor((clock.now().getTime() - newest.getTime()) / hourMs);
  const message = `the newest dump of the database in ${directory} is ${hours} hours old`;
  if (hours >= missedHours) return [fails("backup", message, remedy)];
  return [hours >= dueHours ? warns("backup", message, remedy) : passes("backup", message)];
}

/** Returns when the newest dump was complete; undefined without a dump or a directory. */
function newestDump(directory: string): Date | undefined {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) return undefined;
  const found = readdirSync(directory)
    .filter((name) => /^realmpass-\w+\.dump$/.test(name))
    .map((name) => statSync(join(directory, name)))
    .filter(({ size }) => size > 0)
    .map(({ mtime }) => mtime.getTime());
  return found.length === 0 ? undefined : new Date(Math.max(...found));
}
