import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig, type Env } from "../../../../runtime/config/config.ts";
import { operatorVariables } from "../../../../operator/context/context.ts";
import { checkBackup } from "../../../../operator/doctor/backup.ts";
import { exposeBackupTimes } from "../../../../worker/upkeep/backup-metrics.ts";

const now = new Date("2027-01-31T12:00:00Z");
const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);

const find = (directory?: string, env: Env = {}) =>
  checkBackup({
    env,
    config: loadConfig(operatorVariables, directory === undefined ? {} : { REALMPASS_BACKUP_DIRECTORY: directory }),
    clock: { now: () => now },
  });
const look = (directory?: string) => find(directory).filter(({ name }) => name === "backup");
const copied = (directory: string) => find(directory).find(({ name }) => name === "backup-copy");

function givenDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "realmpass-dumps-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

function write(path: string, hours: number, text = "dump"): void {
  writeFileSync(path, text);
  utimesSync(path, hoursAgo(hours), hoursAgo(hours));
}

test.each([
  [29, "ok"],
  [30, "warn"],
  [53, "warn"],
  [54, "fail"],
])("a newest dump that is %i hours old is reported as %s", (hours, status) => {
  const directory = givenDirectory();
  write(join(directory, "realmpass-20270101T000000Z.dump"), 400);
  write(join(directory, "realmpass-20270130T000000Z.dump"), hours);
  expect(look(directory)).toMatchObject([
    { name: "backup", status, message: expect.stringContaining(`${hours} hours old`) as string },
  ]);
});

test("unfinished dumps, empty dumps and other files do not count as dumps", () => {
  const directory = givenDirectory();
  write(join(directory, "realmpass-20270129T000000Z.dump"), 60);
  expect(look(directory)).toMatchObject([{ status: "fail" }]);
  write(join(directory, "realmpass-20270131T000000Z.dump.part"), 1);
  write(join(directory, "realmpass-20270131T000000Z.dump"), 1, "");
  write(join(directory, "notes.txt"), 1);
  expect(look(directory)).toMatchObject([{ status: "fail" }]);
  write(join(directory, "realmpass-20270131T000001Z.dump"), 1);
  expect(look(directory)).toMatchObject([{ status: "ok" }]);
});

test("no dump, or no directory, is a warning, and so is a directory that cannot be read", () => {
  const directory = givenDirectory();
  expect(look(directory)).toMatchObject([{ status: "warn" }]);
  rmSync(directory, { recursive: true });
  expect(look(directory)).toMatchObject([{ status: "warn" }]);
  writeFileSync(directory, "");
  expect(look(directory)).toMatchObject([{ status: "warn", message: expect.stringContaining("ENOTDIR") as string }]);
});

test("dumps are not checked if no directory is configured", () => {
  expect(look()).toEqual([]);
});

test.each([
  [0, "ok"],
  [1, "warn"],
  [23, "warn"],
  [24, "fail"],
])("a last copy that is %i hours old is reported as %s", (hours, status) => {
  const directory = givenDirectory();
  expect(copied(directory)).toMatchObject({ status: "warn", message: expect.stringContaining("never") as string });
  write(join(directory, "copied"), hours, "");
  expect(copied(directory)).toMatchObject({ status });
});

test("a worker's metric reports the times of the newest dump and of the last copy, or 0 if no dump or copy exists", async () => {
  const directory = givenDirectory();
  const registry = new Registry();
  exposeBackupTimes(registry, directory);
  const values = async () =>
    Object.fromEntries(
      ((await registry.getSingleMetric("realmpass_backup_seconds")?.get())?.values ?? []).map(({ labels, value }) => [
        labels["what"],
        value,
      ]),
    );
  expect(await values()).toEqual({ dump: 0, copy: 0 });
  write(join(directory, "realmpass-20270130T000000Z.dump"), 5);
  write(join(directory, "copied"), 2, "");
  expect(await values()).toEqual({ dump: hoursAgo(5).getTime() / 1_000, copy: hoursAgo(2).getTime() / 1_000 });
  rmSync(directory, { recursive: true });
  writeFileSync(directory, "");
  expect(await values()).toEqual({ dump: 0, copy: 0 });
});
