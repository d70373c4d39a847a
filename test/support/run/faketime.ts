import { accessSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Returns where Debian's package puts the library, by the name of the architecture. */
function faketimeLibrary(): string {
  const found = readdirSync("/usr/lib")
    .map((folder) => join("/usr/lib", folder, "faketime/libfaketimeMT.so.1"))
    .find((file) => {
      try {
        accessSync(file);
        return true;
      } catch {
        return false;
      }
    });
  if (found === undefined) throw new Error("libfaketime is not where it is expected");
  return found;
}

/** Returns the environment of a process on a machine whose clock is this many minutes ahead; behind if negative. */
export const clockAhead = (minutes: number): Record<string, string> => ({
  LD_PRELOAD: faketimeLibrary(),
  FAKETIME: `${minutes < 0 ? "" : "+"}${minutes * 60}s`,
  DONT_FAKE_MONOTONIC: "1",
});

/** Returns the environment of a process on a machine whose clock is an hour ahead. */
export const anHourAhead = (): Record<string, string> => clockAhead(60);

/**
 * Returns the environment of a process on a machine whose clock is ahead by the offset in the file: `+240`, in seconds.
 * The process reads the file each time it reads the clock.
 */
export const clockByFile = (file: string): Record<string, string> => ({
  LD_PRELOAD: faketimeLibrary(),
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_NO_CACHE: "1",
  DONT_FAKE_MONOTONIC: "1",
});
