import { backupTimes, type BackupTimes } from "../../runtime/backup-times.ts";
import type { Context } from "../context/context.ts";
import { fails, passes, warns, type Check } from "./check.ts";
import { timerRemedy, wayOf } from "../context/way.ts";

const hourMs = 3_600_000;

/** The ages, in hours, from which a check warns and from which it fails. */
const limits = {
  /** Dumps are made daily. */
  dump: { dueHours: 30, missedHours: 54 },
  /** Copies are made every five minutes. */
  copy: { dueHours: 1, missedHours: 24 },
} as const;

const copyRemedy =
  "Make /etc/realmpass/copy-away as docs/backup.md has it, or let the program that copies them touch the file `copied` there.";

/**
 * Checks the ages of the newest dump in REALMPASS_BACKUP_DIRECTORY, and of the last copy to another machine. Returns no
 * check if the variable is not set: dumps are then made in another way.
 */
export function checkBackup({ config, clock, env }: Pick<Context, "config" | "clock" | "env">): Check[] {
  const remedyOf = (unit: string): string => timerRemedy(wayOf({ config, env }), unit);
  const directory = config.REALMPASS_BACKUP_DIRECTORY;
  if (directory === undefined) return [];
  let times: BackupTimes;
  try {
    times = backupTimes(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [warns("backup", `not known: ${directory} cannot be read (${code})`, `Run chmod 755 ${directory}.`)];
  }

  const judge = (name: string, what: string, { at, limit, remedy }: Judged): Check => {
    const hours = Math.floor((clock.now().getTime() - at.getTime()) / hourMs);
    const message = `${what} is ${hours} hours old`;
    if (hours >= limit.missedHours) return fails(name, message, remedy);
    return hours >= limit.dueHours ? warns(name, message, remedy) : passes(name, message);
  };
  const { dump, copy } = times;
  return [
    dump === undefined
      ? warns("backup", `there is no dump of the database in ${directory}`, remedyOf("realmpass-backup"))
      : judge("backup", `the newest dump of the database in ${directory}`, {
          at: dump,
          limit: limits.dump,
          remedy: remedyOf("realmpass-backup"),
        }),
    copy === undefined
      ? warns("backup-copy", `${directory} and the exports of the audit log were never copied away`, copyRemedy)
      : judge("backup-copy", `the last copy of ${directory} and of the exports`, {
          at: copy,
          limit: limits.copy,
          remedy: remedyOf("realmpass-copy"),
        }),
  ];
}

interface Judged {
  at: Date;
  limit: { dueHours: number; missedHours: number };
  remedy: string;
}
