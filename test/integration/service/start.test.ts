import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { ended, freePort } from "../../support/services.ts";

/** `npm start` as a person runs it: compiled, in a directory of its own, with an environment that holds nothing else. */

interface Started {
  child: ChildProcess;
  url: string;
  data: string;
  output(): string;
  errors(): string;
}

const running: Started[] = [];
afterEach(async () => {
  for (const { child, data } of running.splice(0)) {
    await ended(child);
    await rm(data, { recursive: true, force: true });
  }
});

async function start({ data, port, env = {} }: { data?: string; port?: number; env?: Record<string, string> } = {}): Promise<Started> {
  const directory = data ?? (await mkdtemp(join(tmpdir(), "realmpass-start-")));
  const chosen = port ?? (await freePort());
  const child = spawn(process.execPath, ["dist/start.js"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: directory,
      PORT: String(chosen),
      REALMPASS_DATA_DIRECTORY: directory,
      REALMPASS_METRICS_PORT: "0",
      REALMPASS_RSA_KEY_POOL: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const started = { child, url: `http://127.0.0.1:${chosen}`, data: directory, output: () => output, errors: () => errors };
  running.push(started);
  return started;
}

const ready = ({ url, child, errors }: Started, withinMs = 60_000): Promise<void> =>
  eventually(
    async () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${errors()}`);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    },
    { withinMs },
  );

/** Every process that was started with this directory in its environment or arguments, Postgres included. */
const processesOf = ({ data }: Started): string[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && pid !== String(process.pid))
    .filter((pid) => {
      try {
        return ["cmdline", "environ"].some((file) => readFileSync(`/proc/${pid}/${file}`, "latin1").includes(data));
      } catch {
        return false;
      }
    });

test("the first start makes a realm and shows a sign-in link that works once; the next has the same data and shows none", async () => {
  const first = await start();
  await ready(first);
  await eventually(() => expect(first.output()).toMatch(/sign-in\//));
  expect(first.output()).toContain(first.url.replace("127.0.0.1", "localhost"));
  expect(first.output()).toContain('realm "demo"');

  const link = /http:\/\/\S+\/sign-in\/\S+/.exec(first.output())?.[0].replace("localhost", "127.0.0.1") ?? "";
  expect((await fetch(link)).status).toBe(200);
  expect((await fetch(link, { method: "POST" })).status).toBe(200);
  expect((await fetch(link, { method: "POST" })).status).toBe(410);

  const stopping = performance.now();
  process.kill(first.child.pid!, "SIGINT");
  await ended(first.child, "SIGINT");
  expect(performance.now() - stopping).toBeLessThan(10_000);
  expect(first.child.exitCode).toBe(0);
  expect(processesOf(first)).toEqual([]);

  const restarting = performance.now();
  const second = await start({ data: first.data });
  await ready(second);
  expect(performance.now() - restarting).toBeLessThan(5_000);
  await eventually(() => expect(second.output()).toContain("is ready at"));
  expect(second.output()).not.toContain("sign-in/");
}, 120_000);

test("state is its owner's alone: the directory 0700, what is secret in it 0600 and encrypted", async () => {
  const started = await start();
  await ready(started);
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  expect(mode(started.data)).toBe("700");
  expect(mode(join(started.data, "ceremony"))).toBe("700");
  const secrets = ["master-key", "issuer-key-passphrase", "output-private-key.json", "postgres.url"];
  const rootKeys = readdirSync(join(started.data, "ceremony")).filter((name) => name.endsWith(".key.json"));
  expect(rootKeys).toHaveLength(1);
  for (const name of [...secrets, ...rootKeys.map((key) => join("ceremony", key))]) {
    expect([name, mode(join(started.data, name))]).toEqual([name, "600"]);
  }
  expect(readFileSync(join(started.data, "ceremony", rootKeys[0]!), "utf8")).not.toMatch(/BEGIN|"d"/);
}, 60_000);

test("a worker that dies is started again, and readiness says so meanwhile", async () => {
  const started = await start();
  await ready(started);
  const worker = processesOf(started).find((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("worker/main"));
  process.kill(Number(worker), "SIGKILL");
  await eventually(() => expect(started.errors()).toContain("starting it again"));
  await eventually(() => {
    const workers = processesOf(started).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("worker/main"));
    expect(workers).toHaveLength(1);
    expect(workers).not.toContain(worker);
  });
  await ready(started);
}, 60_000);

test("when it is killed nothing is left but Postgres, which the next start adopts", async () => {
  const first = await start();
  await ready(first);
  process.kill(first.child.pid!, "SIGKILL");
  await eventually(() => {
    const left = processesOf(first).map((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1"));
    expect(left.filter((command) => command.includes("main.js"))).toEqual([]);
  }, { withinMs: 15_000 });

  const second = await start({ data: first.data });
  await ready(second);
  expect(second.errors()).toContain("embedded-postgres.adopted");
}, 120_000);

test("a configuration with several faults names all of them and starts nothing", async () => {
  const started = await start({ env: { REALMPASS_WAIT_SECONDS: "soon", REALMPASS_PROT: "3000", DATABASE_URL: "mysql://x" } });
  await eventually(() => expect(started.child.exitCode).toBe(1));
  for (const name of ["REALMPASS_WAIT_SECONDS", "REALMPASS_PROT", "DATABASE_URL"]) expect(started.errors()).toContain(name);
  expect(readdirSync(started.data)).toEqual([]);
}, 60_000);

test("a port that somebody else has is named, and nothing stays behind", async () => {
  const first = await start();
  await ready(first);
  const second = await start({ port: Number(new URL(first.url).port) });
  await eventually(() => expect(second.child.exitCode).toBe(1), { withinMs: 30_000 });
  expect(second.errors()).toContain("EADDRINUSE");
  expect(processesOf(second)).toEqual([]);
}, 90_000);
