import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createBrowserSession } from "../../support/browser/browser-session.ts";
import { eventually } from "../../support/run/eventually.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { copyDataDirectory, ended, scratchDirectory } from "../../support/run/services.ts";
import { startWhole, type WholeService } from "../../support/service/whole-service.ts";

const running: WholeService[] = [];
afterEach(async () => {
  // One after another, because a later one may run on an earlier one's directory.
  for (const service of running.splice(0).reverse()) await service.stop();
});

async function start(options?: Parameters<typeof startWhole>[0]): Promise<WholeService> {
  const service = await startWhole(options);
  running.push(service);
  return service;
}

let installed: Promise<string> | undefined;

/** Starts it on a copy of what a first start made, for tests that are not about that one. */
async function startInstalled(options?: Parameters<typeof startWhole>[0]): Promise<WholeService> {
  installed ??= install();
  const data = await scratchDirectory("realmpass-start-");
  await copyDataDirectory(data, await installed);
  return start({ ...options, data });
}

async function install(): Promise<string> {
  const service = await startWhole();
  atEndOfFile(() => service.stop());
  await service.ready();
  await ended(service.child);
  return service.data;
}

/** Seldom, since each look reads all of /proc. */
const looking = { everyMs: 250 };

/** The ids of the processes whose command line has this in it. */
const processesWith = (service: WholeService, text: string): number[] =>
  [...service.processes()].flatMap(([pid, command]) => (command.includes(text) ? [pid] : []));

test("the first start makes a realm and shows a sign-in link that works once; the next has the same data and shows none", async () => {
  const first = await start();
  await first.ready();
  await eventually(() => {
    expect(first.output()).toMatch(/sign-in\//);
  });
  expect(first.output()).toContain(first.url.replace("127.0.0.1", "localhost"));
  expect(first.output()).toContain('realm "demo"');

  const link = /http:\/\/\S+\/sign-in\/\S+/.exec(first.output())?.[0].replace("localhost", "127.0.0.1") ?? "";
  const browser = createBrowserSession(() => []);
  const page = await browser.get(link);
  expect(page.status).toBe(200);
  expect((await browser.submit(page, {}, { follow: false })).status).toBe(303);
  expect((await browser.submit(page, {}, { follow: false })).status).toBe(410);

  process.kill(first.child.pid!, "SIGINT");
  await ended(first.child, "SIGINT");
  expect(first.child.exitCode).toBe(0);
  expect(first.processes().size).toBe(0);

  const second = await start({ data: first.data });
  await second.ready();
  await eventually(() => {
    expect(second.output()).toContain("is ready at");
  });
  expect(second.output()).not.toContain("sign-in/");
});

test("state is its owner's alone: the directory 0700, what is secret in it 0600 and encrypted", async () => {
  const started = await start();
  await started.ready();
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
});

test("a worker that dies is started again, and readiness says so meanwhile", async () => {
  const started = await startInstalled();
  await started.ready();
  const [worker] = processesWith(started, "worker/main");
  process.kill(worker!, "SIGKILL");
  await eventually(() => {
    expect(started.errors()).toContain("starting it again");
  });
  await eventually(() => {
    const workers = processesWith(started, "worker/main");
    expect(workers).toHaveLength(1);
    expect(workers).not.toContain(worker);
  }, looking);
  await started.ready();
});

test("when it is killed nothing is left but Postgres, which the next start adopts", async () => {
  const first = await startInstalled();
  await first.ready();
  process.kill(first.child.pid!, "SIGKILL");
  await eventually(() => {
    expect(processesWith(first, "main.js")).toEqual([]);
  }, looking);

  const second = await start({ data: first.data });
  await second.ready();
  expect(second.errors()).toContain("embedded-postgres.adopted");
});

test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("stopping npm itself with %s stops everything", async (signal) => {
  const started = await startInstalled({ program: "npm", args: ["start", "--silent"] });
  await started.ready();

  process.kill(started.child.pid!, signal);

  await eventually(() => {
    expect([...started.processes().values()].filter((command) => !command.includes("postgres"))).toEqual([]);
    expect(started.processes().size).toBe(0);
  }, looking);
});

test("a configuration with several faults names all of them and starts nothing", async () => {
  const started = await start({
    env: { REALMPASS_WAIT_SECONDS: "soon", REALMPASS_PROT: "3000", DATABASE_URL: "mysql://x" },
  });
  await eventually(() => {
    expect(started.child.exitCode).toBe(1);
  });
  for (const name of ["REALMPASS_WAIT_SECONDS", "REALMPASS_PROT", "DATABASE_URL"])
    expect(started.errors()).toContain(name);
  expect(readdirSync(started.data)).toEqual([]);
});

test("a port that somebody else has is named, and nothing stays behind", async () => {
  const first = await startInstalled();
  await first.ready();
  const second = await startInstalled({ port: Number(new URL(first.url).port) });
  await eventually(() => {
    expect(second.child.exitCode).toBe(1);
  });
  expect(second.errors()).toContain("EADDRINUSE");
  expect(second.processes().size).toBe(0);
});
