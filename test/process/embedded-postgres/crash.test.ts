import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { embeddedPostgresFiles } from "../../../embedded-postgres/files.ts";
import { childrenOf } from "../../../embedded-postgres/process.ts";
import { atEnd } from "../../support/run/at-end.ts";
import {
  connect,
  directoryWithCluster,
  eventually,
  hasEnded,
  postmasterPid,
  query,
  start,
  startInProcess,
  temporaryDirectory,
} from "./embedded-postgres-support.ts";

test("an initdb killed in the middle is repeated", async () => {
  const dataDirectory = join(await temporaryDirectory(), "data");
  const starter = startInProcess({ dataDirectory });
  const partial = async () =>
    (await readdir(dataDirectory).catch(() => [])).filter((name) => /partial-\w+$/.test(name));
  await eventually(async () => {
    const [name] = await partial();
    return name !== undefined && (await readdir(join(dataDirectory, name)).catch((): string[] => [])).includes("base");
  });
  const initdb = await childrenOf(starter.pid);
  await starter.kill();
  for (const pid of initdb) if (!(await hasEnded(pid))) process.kill(pid, "SIGKILL");
  expect(await partial()).toHaveLength(1);

  const { url } = await start({ dataDirectory });

  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect((await readdir(dataDirectory)).filter((name) => name.includes("partial"))).toEqual([]);
});

test("a server left behind by a killed parent is adopted, and stop() stops it", async () => {
  const dataDirectory = await directoryWithCluster();
  const starter = startInProcess({ dataDirectory });
  const { url } = await starter.answer;
  const left = await postmasterPid(dataDirectory);
  const client = await connect(url!);
  await starter.kill();

  const adopted = await start({ dataDirectory });

  expect(adopted).toMatchObject({ adopted: true, url, pid: left });
  expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await adopted.stop();
  expect(await hasEnded(left)).toBe(true);
});

test("every acknowledged commit survives kill -9 of the server", async () => {
  const dataDirectory = await directoryWithCluster();
  const first = await start({ dataDirectory });
  await query(first.url, "create table written (n int primary key)");
  const acknowledged = new Set<number>();
  const writers = [0, 1, 2, 3].map(async (writer) => {
    const client = await connect(first.url);
    for (let n = writer; ; n += 4) {
      await client.query("insert into written (n) values ($1)", [n]);
      acknowledged.add(n);
    }
  });
  const ended = Promise.allSettled(writers);
  await eventually(() => acknowledged.size > 500);

  // Kills the postmaster first and alone: its remaining backends must not stop the new postmaster.
  const children = await childrenOf(first.pid);
  process.kill(first.pid, "SIGKILL");
  for (const child of children) if (!(await hasEnded(child))) process.kill(child, "SIGKILL");
  await ended;
  await first.stop();
  const second = await start({ dataDirectory });

  const rows = await query(second.url, "select n from written");
  const found = new Set(rows.map(({ n }) => n));
  expect(second.adopted).toBe(false);
  expect([...acknowledged].filter((n) => !found.has(n))).toEqual([]);
});

test("a server that ends by itself is restarted under the same address", async () => {
  const dataDirectory = await directoryWithCluster();
  const { url, pid } = await start({ dataDirectory });
  await query(url, "create table kept as select 7 as n");

  process.kill(pid, "SIGKILL");

  await eventually(async () => {
    const rows = await query(url, "select n from kept").catch(() => []);
    return rows[0]?.["n"] === 7;
  });
  expect(await postmasterPid(dataDirectory)).not.toBe(pid);
});

test("a server that cannot be restarted is reported with the reason, and is started once the cause is gone", async () => {
  const dataDirectory = await directoryWithCluster();
  const { url, pid, logged } = await start({ dataDirectory });
  const control = join(dataDirectory, "pg18", "global", "pg_control");
  await rename(control, `${control}.away`);
  process.kill(pid, "SIGKILL");

  await eventually(() => logged.some((line) => (line as { event: string }).event === "embedded-postgres.faulty"));
  expect(logged).toContainEqual(
    expect.objectContaining({ err: expect.objectContaining({ message: expect.stringContaining("pg_control") }) }),
  );
  await rename(`${control}.away`, control);
  await eventually(() =>
    query(url, "select 1 as one").then(
      () => true,
      () => false,
    ),
  );
});

test("a server whose port another program has taken is started once the port is free, under the same address", async () => {
  const dataDirectory = await directoryWithCluster();
  const { url, pid } = await start({ dataDirectory });
  // Prevents a restart until the port is taken.
  const control = join(dataDirectory, "pg18", "global", "pg_control");
  await rename(control, `${control}.away`);
  process.kill(pid, "SIGKILL");
  await eventually(() => hasEnded(pid));
  const other = createServer().listen(Number(new URL(url).port), "127.0.0.1");
  atEnd(() => other.close());
  await once(other, "listening");
  await rename(`${control}.away`, control);

  const { log } = embeddedPostgresFiles(dataDirectory);
  await eventually(async () => (await readFile(log, "utf8").catch(() => "")).includes("could not bind"));
  other.close();
  await eventually(() =>
    query(url, "select 1 as one").then(
      () => true,
      () => false,
    ),
  );
});

test("backends that outlive their killed postmaster are waited for", async () => {
  const dataDirectory = await directoryWithCluster();
  const starter = startInProcess({ dataDirectory });
  const { url } = await starter.answer;
  const client = await connect(url!);
  const backend = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid;
  process.kill(backend, "SIGSTOP");
  process.kill(await postmasterPid(dataDirectory), "SIGKILL");
  await starter.kill();
  const resume = setTimeout(() => process.kill(backend, "SIGCONT"), 700);
  atEnd(() => {
    clearTimeout(resume);
  });

  const second = await start({ dataDirectory });

  expect(second.adopted).toBe(false);
  expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("Ctrl-C in the terminal does not reach the server", async () => {
  const dataDirectory = await directoryWithCluster();
  const starter = startInProcess({ dataDirectory });
  const { url } = await starter.answer;
  const pid = await postmasterPid(dataDirectory);

  // As a terminal does: the signal goes to the whole foreground group.
  process.kill(-starter.pid, "SIGINT");
  await starter.exited;

  expect(await query(url!, "select 1 as one")).toEqual([{ one: 1 }]);
  const session = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]!.split(" ")[3];
  expect(Number(session)).toBe(pid);
});

test("of two simultaneous starts one gets the server, and the other start reports which process has the server", async () => {
  const dataDirectory = await directoryWithCluster();
  const starters = [startInProcess({ dataDirectory }), startInProcess({ dataDirectory })];

  const answers = await Promise.all(starters.map(({ answer }) => answer));

  const winner = answers.findIndex(({ url }) => url !== undefined);
  expect(answers[winner]).toMatchObject({ adopted: false });
  expect(answers[1 - winner]!.error).toContain(`in use by process ${starters[winner]!.pid}`);
  expect(await query(answers[winner]!.url!, "select 1 as one")).toEqual([{ one: 1 }]);
  await starters[winner]!.stop();
  expect((await start({ dataDirectory })).adopted).toBe(false);
});

test("a start during a stop waits until the stop has ended", async () => {
  const dataDirectory = await directoryWithCluster();
  const first = await start({ dataDirectory });

  const [, second] = await Promise.all([first.stop(), start({ dataDirectory })]);

  expect(second.adopted).toBe(false);
  expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a lock of a dead process whose pid was reused does not hinder a start", async () => {
  const dataDirectory = await directoryWithCluster();
  const stranger = spawn("sleep", ["60"]);
  atEnd(() => stranger.kill());
  await once(stranger, "spawn");
  const starter = startInProcess({ dataDirectory });
  await starter.answer;
  await starter.kill();
  await writeFile(join(dataDirectory, "postgres.lock"), JSON.stringify({ pid: stranger.pid, started: "long ago" }));

  expect((await start({ dataDirectory })).adopted).toBe(true);
});

test("stop() ends the server even with a client in a transaction", async () => {
  const postgres = await start({ dataDirectory: await directoryWithCluster() });
  const client = await connect(postgres.url);
  await client.query("begin; create table never_committed ()");

  await postgres.stop();

  expect(await hasEnded(postgres.pid)).toBe(true);
});

test("stop() ends a server with a hanging backend, and leaves no process", async () => {
  const postgres = await start({ dataDirectory: await directoryWithCluster() });
  const client = await connect(postgres.url);
  const backend = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]!.pid;
  const children = await childrenOf(postgres.pid);
  expect(children).toContain(backend);
  process.kill(backend, "SIGSTOP");

  await postgres.stop();

  expect(await hasEnded(postgres.pid)).toBe(true);
  for (const child of children) await eventually(() => hasEnded(child));
});
