import { closeSync, fstatSync, openSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { isJournal, journalPrefix } from "../../../runtime/log.ts";

test.each([
  [60, "<2>"],
  [50, "<3>"],
  [40, "<4>"],
  [30, "<6>"],
  [20, "<7>"],
])("a line of level %i has the priority %s in the journal", (level, prefix) => {
  expect(journalPrefix(level)).toBe(prefix);
});

test("the journal is recognized by the device and inode of the stream, not by the variable alone", () => {
  const fd = openSync("/dev/null", "r");
  onTestFinished(() => {
    closeSync(fd);
  });
  const { dev, ino } = fstatSync(fd);
  expect(isJournal(`${dev}:${ino}`, fd)).toBe(true);
  expect(isJournal(`${dev}:${ino + 1}`, fd)).toBe(false);
  expect(isJournal(undefined, fd)).toBe(false);
});

/** Returns the lines of a log on a standard error that the shell opened, with `JOURNAL_STREAM` as the shell sets it. */
function linesOf(stream: string): string[] {
  const program = `import { createLog } from "./runtime/log.ts";
    const log = createLog({ process: "x", level: "info" }); log.fatal("end"); log.child({}).info("more");`;
  const script = `exec 2>"$0.log"; JOURNAL_STREAM=${stream} "$1" --import tsx --input-type=module -e "$2"; cat "$0.log"`;
  const path = `/tmp/realmpass-journal-${process.pid}`;
  const { stdout } = spawnSync("sh", ["-c", script, path, process.execPath, program], { encoding: "utf8" });
  spawnSync("rm", ["-f", `${path}.log`]);
  return stdout.trim().split("\n");
}

test("each line of a log in the journal begins with the priority, and lines of other logs do not", () => {
  expect(linesOf('$(stat -L -c %d:%i "$0.log")').map((line) => line.slice(0, 4))).toEqual(["<2>{", "<6>{"]);
  expect(linesOf("1:2").map((line) => line.slice(0, 1))).toEqual(["{", "{"]);
});
