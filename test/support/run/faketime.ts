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

/** Returns the environment of a process on a machine whose clock is an hour ahead. */
export const anHourAhead = (): Record<string, string> => ({
  LD_PRELOAD: faketimeLibrary(),
  FAKETIME: "+3600s",
  DONT_FAKE_MONOTONIC: "1",
});
