import { spawn } from "node:child_process";
import { chmod, copyFile, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { findBinaries } from "../../../embedded-postgres/binaries.ts";
import { embeddedPostgresFiles } from "../../../embedded-postgres/files.ts";
import { findEmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";
import { ensureDatabase } from "../../../embedded-postgres/server.ts";
import { atEnd } from "../../support/run/at-end.ts";
import {
  eventually,
  directoryWithCluster,
  isRoot,
  query,
  start,
  temporaryDirectory,
  connect,
} from "./embedded-postgres-support.ts";

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test("the first start makes files that only their owner can read, and the URL connects to the database realmpass as its owner", async () => {
  const dataDirectory = join(await temporaryDirectory(), "deep", "data");
  const files = embeddedPostgresFiles(dataDirectory);

  const postgres = await start({ dataDirectory });

  expect(postgres.adopted).toBe(false);
  expect(
    await query(
      postgres.url,
      `select current_database() as database, rolsuper, datdba = pg_roles.oid as owner
         from pg_roles
         join pg_database on datname = current_database()
        where rolname = current_user`,
    ),
  ).toEqual([{ database: "realmpass", rolsuper: true, owner: true }]);
  expect(await modeOf(files.root)).toBe("700");
  expect(await modeOf(files.cluster)).toBe("700");
  expect(await modeOf(files.url)).toBe("600");
  expect(await modeOf(files.password)).toBe("600");
  expect(await modeOf(files.log)).toBe("600");
  expect((await readFile(files.password, "utf8")).length).toBeGreaterThanOrEqual(43);
});

test("a later start has the same data on the same port", async () => {
  const dataDirectory = await directoryWithCluster();
  const first = await start({ dataDirectory });
  await query(first.url, "create table kept as select 42 as answer");
  await first.stop();

  const second = await start({ dataDirectory });

  expect(second.adopted).toBe(false);
  expect(second.url).toBe(first.url);
  expect(await query(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
});

test("commits are durable, the server listens only on loopback, and the settings are as designed", async () => {
  const { url } = await start({ dataDirectory: await directoryWithCluster() });

  const rows = await query(url, "select name, current_setting(name) as value from pg_settings");

  expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toMatchObject({
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    data_checksums: "on",
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "200",
    shared_buffers: "128MB",
    jit: "off",
    wal_compression: "pglz",
    shared_preload_libraries: "",
    TimeZone: "UTC",
    lc_messages: "C",
    server_encoding: "UTF8",
    password_encryption: "scram-sha-256",
  });
  const authentication = await query(url, "select distinct auth_method from pg_hba_file_rules");
  expect(authentication).toEqual([{ auth_method: "scram-sha-256" }]);
});

test("lower case and trigrams also cover letters outside ASCII, such as Cyrillic", async () => {
  const { url } = await start({ dataDirectory: await directoryWithCluster() });

  await query(url, "create extension pg_trgm");

  expect(await query(url, "select lower('ÄЙ') as lower, cardinality(show_trgm('Привет')) as trigrams")).toEqual([
    { lower: "äй", trigrams: 7 },
  ]);
});

test("a wrong password is refused", async () => {
  const { url } = await start({ dataDirectory: await directoryWithCluster() });
  const wrong = new URL(url);
  wrong.password = "guess";

  await expect(query(wrong.href, "select 1")).rejects.toMatchObject({ code: "28P01" });
});

test("the password is in no process arguments or environment and in no log", async () => {
  const dataDirectory = await temporaryDirectory();
  const { directory, runs } = await recordingBinaries();

  const { url, logged } = await start({
    dataDirectory,
    binaries: { packageDirectory: undefined, systemDirectories: [directory] },
  });

  const { password } = new URL(url);
  const { cluster, log } = embeddedPostgresFiles(dataDirectory);
  const seen = await runs();
  expect(seen.some((run) => run.startsWith("initdb\n") && run.includes(cluster))).toBe(true);
  expect(seen.some((run) => run.startsWith("postgres\n-D\n") && run.includes(cluster))).toBe(true);
  expect(seen.filter((run) => run.includes(password))).toEqual([]);
  expect(logged).toContainEqual(expect.objectContaining({ event: "embedded-postgres.started" }));
  expect(JSON.stringify(logged)).not.toContain(password);
  const serverLog = await readFile(log, "utf8");
  expect(serverLog).toContain("database system is ready");
  expect(serverLog).not.toContain(password);
});

/**
 * Makes Postgres programs that record their arguments and environment before they begin, even when one program calls
 * another.
 */
async function recordingBinaries(): Promise<{ directory: string; runs: () => Promise<string[]> }> {
  const root = await temporaryDirectory();
  const [directory, records] = [join(root, "bin"), join(root, "records")];
  await chmod(root, 0o755);
  await mkdir(directory);
  await mkdir(records);
  // If root runs the tests, Postgres runs as another user.
  await chmod(records, 0o777);
  const real = await findBinaries({ sources: {}, searchPath: "", cacheDirectory: await temporaryDirectory() });
  for (const [name, program] of Object.entries(real)) {
    // A copy, because a link would lead back to the directory of the other programs.
    await copyFile(program, join(directory, `${name}.real`));
    await chmod(join(directory, `${name}.real`), 0o755);
    const script = `#!/bin/sh
{ printf '%s\\n' ${name} "$@"; env; } > "${records}/$$"
exec "${directory}/${name}.real" "$@"
`;
    await writeFile(join(directory, name), script, { mode: 0o755 });
  }
  for (const name of ["lib", "share"]) await symlink(join(dirname(real.postgres), "..", name), join(root, name));
  const runs = async () => Promise.all((await readdir(records)).map((name) => readFile(join(records, name), "utf8")));
  return { directory, runs };
}

test("a port that another program has taken since the last run stays with that program", async () => {
  const dataDirectory = await directoryWithCluster();
  const first = await start({ dataDirectory });
  await first.stop();
  const squatter = createServer().listen(Number(new URL(first.url).port), "127.0.0.1");
  atEnd(() => squatter.close());

  const second = await start({ dataDirectory });

  expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
  expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect(await findEmbeddedPostgres(dataDirectory)).toEqual({ url: second.url });
});

const inDatabase = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;

describe("making the database", () => {
  /** Makes a server without the database, on which creating a database waits until `letGo` is called. */
  async function serverThatHoldsUp() {
    const { url } = await start({ dataDirectory: await directoryWithCluster() });
    const admin = await connect(inDatabase(url, "postgres"));
    atEnd(() => admin.end());
    await admin.query("drop database realmpass");
    const holder = await connect(inDatabase(url, "template1"));
    const waiting = async (count: number) => {
      const found = () =>
        admin.query("select from pg_stat_activity where state = 'active' and query like 'create database%'");
      while ((await found()).rowCount !== count);
    };
    return { url, waiting, letGo: () => holder.end() };
  }

  test("can take as long as the whole start", async () => {
    const { url, waiting, letGo } = await serverThatHoldsUp();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const made = ensureDatabase(url, performance.now() + 60_000);
      made.catch(() => undefined);
      await waiting(1);
      vi.advanceTimersByTime(30_000);
      await letGo();
      await made;
    } finally {
      vi.useRealTimers();
    }
    expect(await query(url, "select current_database() as name")).toEqual([{ name: "realmpass" }]);
  });

  test("ends when the start is given up", async () => {
    const { url, waiting, letGo } = await serverThatHoldsUp();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const made = ensureDatabase(url, performance.now() + 60_000);
      const given = expect(made).rejects.toThrow("timeout");
      await waiting(1);
      vi.advanceTimersByTime(60_000);
      await given;
    } finally {
      vi.useRealTimers();
    }
    await letGo();
  });

  test("succeeds if another session makes the database first", async () => {
    const { url, waiting, letGo } = await serverThatHoldsUp();
    const giveUpAt = performance.now() + 60_000;
    const both = Promise.all([ensureDatabase(url, giveUpAt), ensureDatabase(url, giveUpAt)]);
    both.catch(() => undefined);
    await waiting(2);
    await letGo();
    await both;
    expect(await query(url, "select current_database() as name")).toEqual([{ name: "realmpass" }]);
  });
});

test("a start that cannot make the database fails, and leaves no server running", async () => {
  const dataDirectory = await directoryWithCluster();
  const first = await start({ dataDirectory });
  const admin = await connect(inDatabase(first.url, "postgres"));
  await admin.query("drop database realmpass");
  await admin.query("alter database template1 rename to elsewhere");
  await admin.end();
  await first.stop();

  await expect(start({ dataDirectory })).rejects.toThrow("template1");

  await expect(stat(embeddedPostgresFiles(dataDirectory).postmasterPid)).rejects.toThrow("ENOENT");
});

test("operator commands find the server only while it runs", async () => {
  const dataDirectory = await directoryWithCluster();
  expect(await findEmbeddedPostgres(dataDirectory)).toBeUndefined();

  const postgres = await start({ dataDirectory });
  expect(await findEmbeddedPostgres(dataDirectory)).toEqual({ url: postgres.url });

  await postgres.stop();
  expect(await findEmbeddedPostgres(dataDirectory)).toBeUndefined();
});

test("a server of another data directory is not mistaken for this one, even if it accepts the connection", async () => {
  const other = await start({ dataDirectory: await directoryWithCluster() });
  const dataDirectory = await directoryWithCluster();
  const own = await start({ dataDirectory });
  await own.stop();

  await writeFile(embeddedPostgresFiles(dataDirectory).url, other.url);

  expect(await findEmbeddedPostgres(dataDirectory)).toBeUndefined();
});

test.each([
  ["empty", () => ""],
  [
    "of a pid that belongs to another process by now",
    (content: string, pid: number) => content.replace(/^\d+/, `${pid}`),
  ],
])("a stale postmaster.pid does not hinder a start: %s", async (_case, spoil) => {
  const dataDirectory = await directoryWithCluster();
  const files = embeddedPostgresFiles(dataDirectory);
  const first = await start({ dataDirectory });
  const content = await readFile(files.postmasterPid, "utf8");
  await first.stop();
  const { uid, gid } = await stat(files.cluster);
  // A process of the same user, because Postgres does not check the processes of other users.
  const stranger = spawn("sleep", ["60"], isRoot ? { uid, gid } : {});
  atEnd(() => stranger.kill());

  await writeFile(files.postmasterPid, spoil(content, stranger.pid!));
  const second = await start({ dataDirectory });

  expect(second.adopted).toBe(false);
  expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect(stranger.exitCode).toBeNull();
});

test("a shared directory such as /tmp is refused and left unchanged", async () => {
  const before = await modeOf("/tmp");

  await expect(start({ dataDirectory: "/tmp" })).rejects.toThrow("is shared with other users");

  expect(await modeOf("/tmp")).toBe(before);
  const { cluster, lock } = embeddedPostgresFiles("/tmp");
  for (const path of [cluster, lock]) await expect(stat(path)).rejects.toThrow("ENOENT");
});

test("the log file contains this run and one older file the previous run; a log over 10 MiB becomes the older file", async () => {
  const dataDirectory = await directoryWithCluster();
  const files = embeddedPostgresFiles(dataDirectory);
  await (await start({ dataDirectory })).stop();

  const { url } = await start({ dataDirectory });
  expect(await readFile(files.previousLog, "utf8")).toContain("database system is shut down");
  expect(await readFile(files.log, "utf8")).not.toContain("database system is shut down");

  const elevenMegabytes = `do $$ begin for i in 1..1100 loop raise warning '%', repeat('x', 10000); end loop; end $$`;
  await query(url, elevenMegabytes);
  await eventually(async () => (await stat(files.log)).size < 1_000_000);
  expect((await stat(files.previousLog)).size).toBeGreaterThan(10 * 1024 * 1024);
  await query(url, "do $$ begin raise warning 'after the cut'; end $$");
  expect(await readFile(files.log, "utf8")).toContain("after the cut");
});
