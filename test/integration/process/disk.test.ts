import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { openDatabase } from "../../../db/client.ts";
import { DatabaseUnavailable } from "../../../db/outage.ts";
import { sql } from "../../../db/sql.ts";
import { createDisk } from "../../../process/disk.ts";
import { useDatabase } from "../../support/run/database.ts";
import { scratchDirectory } from "../../support/run/services.ts";
import { atEnd } from "../../support/run/at-end.ts";

const database = useDatabase();
afterEach(() => {
  vi.useRealTimers();
});

const noProblems = { report: () => undefined, end: () => undefined };

test("a disk that Postgres reports as full counts as full for 30 s, in which the process reports a problem", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const problems = { report: vi.fn(), end: vi.fn() };
  const log = { error: vi.fn() };
  const disk = createDisk({ dataDirectory: "none", problems, log });
  const db = openDatabase({
    url: database.url,
    connectionsMax: 1,
    applicationName: "realmpass test",
    onRefusal: (sqlstate) => {
      if (sqlstate === "53100") disk.noteFull();
    },
  });
  onTestFinished(() => db.close());
  await expect(db.query(sql`do $$ begin raise exception 'no' using errcode = '53200'; end $$`)).rejects.toThrow();
  expect(await disk.isFull()).toBe(false);

  const full = sql`do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
  await expect(db.transaction((tx) => tx.query(full))).rejects.toThrow(DatabaseUnavailable);
  expect(await disk.isFull()).toBe(true);
  expect(problems.report).toHaveBeenCalledWith("disk_full", expect.any(String));

  vi.advanceTimersByTime(29_000);
  await expect(db.query(full)).rejects.toThrow(DatabaseUnavailable);
  vi.advanceTimersByTime(29_000);
  expect(await disk.isFull()).toBe(true);
  expect(log.error.mock.calls.map(([line]) => line as unknown)).toEqual([{ event: "database.disk_full" }]);
  vi.advanceTimersByTime(1_000);
  expect(await disk.isFull()).toBe(false);
  expect(problems.end.mock.calls).toEqual([[...(problems.report.mock.calls[0] as string[])]]);
});

test("the disk of a trial's own Postgres counts as full below a limit of free space; other disks are not checked", async () => {
  const dataDirectory = await scratchDirectory("realmpass-disk-");
  atEnd(() => rm(dataDirectory, { recursive: true }));
  const isFull = (bytesMin: number) =>
    createDisk({ dataDirectory, problems: noProblems, log: { error: () => undefined }, bytesMin }).isFull();
  expect(await isFull(Number.MAX_SAFE_INTEGER)).toBe(false);
  writeFileSync(join(dataDirectory, "postgres.url"), "");
  expect(await isFull(Number.MAX_SAFE_INTEGER)).toBe(true);
  expect(await isFull(1)).toBe(false);
});
