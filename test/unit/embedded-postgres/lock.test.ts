import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { lockDirectory } from "../../../embedded-postgres/lock.ts";

/** No process has this identity, which combines this process's id with another start time. */
const dead = JSON.stringify({ pid: process.pid, started: "before", token: "dead" });

function lockPath(): string {
  const directory = mkdtempSync(join(tmpdir(), "realmpass-lock-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true });
  });
  return join(directory, "postgres.lock");
}

test("if several starts at the same moment find the lock of a dead process, only one start at a time gets the lock", async () => {
  const path = lockPath();
  let holders = 0;
  const most: number[] = [];

  async function start(): Promise<void> {
    const lock = await lockDirectory(path);
    most.push(++holders);
    for (let waited = 0; waited < 20; waited++) await turn();
    holders -= 1;
    await lock.release();
  }
  for (let round = 0; round < 8; round++) {
    writeFileSync(path, dead);
    await Promise.all(Array.from({ length: 6 }, start));
  }

  expect(most).toEqual(Array(48).fill(1));
  expect(readdirSync(dirname(path))).toEqual([]);
});

test("a process that died while it removed a lock does not block a start", async () => {
  const path = lockPath();
  writeFileSync(path, dead);
  writeFileSync(`${path}.turn`, dead);

  const lock = await lockDirectory(path);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
  await lock.release();

  expect(readdirSync(dirname(path))).toEqual([]);
});
