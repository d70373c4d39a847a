import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Database } from "../../../db/client.ts";
import { makeInstallationRoles } from "../../../db/logins.ts";
import { sql } from "../../../db/sql.ts";
import { startEmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";
import { drawSecret } from "../../../runtime/keys/data-directory.ts";
import { withLogin } from "../../../runtime/config/server-url.ts";
import { createBrowserSession } from "../../support/browser/browser-session.ts";
import { givenRows } from "../../support/given/given.ts";
import { openPatiently } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { asLogin } from "../../support/run/queue-schema.ts";
import { copyDataDirectory, ended, scratchDirectory } from "../../support/run/services.ts";
import { serverProcessVariables } from "../../support/service/process-variables.ts";
import { startWhole, type WholeService } from "../../support/service/whole-service.ts";

/** Polls less often, because each poll reads the state of every running process. */
const looking = { everyMs: 250 };

const running: WholeService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

/** Starts the service, and stops it at the end of the test. */
async function start(options?: Parameters<typeof startWhole>[0]): Promise<WholeService> {
  const service = await startWhole(options);
  running.push(service);
  return service;
}

/** Copies the data directory of the first start, for tests that are not about that start; returns the copy's path. */
async function installed(): Promise<string> {
  await ended(first.child, "SIGINT");
  const data = await scratchDirectory("realmpass-start-");
  await copyDataDirectory(data, first.data);
  return data;
}

/** Returns the ids of the processes whose command line contains this. */
const processesWith = (service: WholeService, text: string): number[] =>
  [...service.processes()].flatMap(([pid, command]) => (command.includes(text) ? [pid] : []));

/** The service that began in an empty directory. */
let first: WholeService;
beforeAll(async () => {
  first = await startWhole({ data: await scratchDirectory("realmpass-start-") });
  atEndOfFile(() => first.stop());
  await first.ready();
});

describe("the first start", () => {
  test("makes a realm and shows a sign-in link that works once", async () => {
    expect(first.output()).toContain(first.url.replace("127.0.0.1", "localhost"));
    expect(first.output()).toContain('realm "demo"');

    const link = /http:\/\/\S+\/sign-in\/\S+/.exec(first.output())?.[0].replace("localhost", "127.0.0.1") ?? "";
    const browser = createBrowserSession(() => []);
    const page = await browser.get(link);
    expect(page.status).toBe(200);
    expect((await browser.submit(page, {}, { follow: false })).status).toBe(303);
    expect((await browser.submit(page, {}, { follow: false })).status).toBe(410);
  });

  test("keeps its state private to its owner: the directory 0700, secrets in it 0600, and the root key encrypted", () => {
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

    expect(mode(first.data)).toBe("700");
    expect(mode(join(first.data, "ceremony"))).toBe("700");
    const secrets = ["master-key", "issuer-key-passphrase", "output-private-key.json", "postgres.url"];
    const rootKeys = readdirSync(join(first.data, "ceremony")).filter((name) => name.endsWith(".key.json"));
    expect(rootKeys).toHaveLength(1);
    for (const name of [...secrets, ...rootKeys.map((key) => join("ceremony", key))]) {
      expect([name, mode(join(first.data, name))]).toEqual([name, "600"]);
    }
    expect(readFileSync(join(first.data, "ceremony", rootKeys[0]!), "utf8")).not.toMatch(/BEGIN|"d"/);
  });

  test("exits on Ctrl-C with code 0, and leaves no process", async () => {
    await ended(first.child, "SIGINT");
    expect(first.child.exitCode).toBe(0);
    expect(first.processes().size).toBe(0);
  });
});

test("each process receives only its own variables", async () => {
  const given = {
    REALMPASS_ISSUER_KEY_PASSPHRASE: "what opens the keys of issuers",
    REALMPASS_ROOT_KEY_PASSPHRASE: "what opens the keys of roots",
    REALMPASS_MASTER_KEY: drawSecret.masterKey(),
    SOMETHING_ELSE: "which nobody of them reads",
  };
  const service = await start({ env: given });
  await service.ready();

  const ofNode = /^(PATH|HOME|(NODE|npm)_\w+)$/;
  const variables = Object.fromEntries(
    (["api", "worker", "responder"] as const).map((name) => {
      const [pid] = processesWith(service, `${name}/main`);
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
      const names = environment.split("\0").flatMap((line) => line.split("=", 1).filter((each) => each !== ""));
      expect(names).toContain("DATABASE_URL");
      expect(names.includes("QUEUE_DATABASE_URL")).toBe(name !== "responder");
      const read = new Set<string>(serverProcessVariables[name].flatMap((each) => [each, `${each}_FILE`]));
      expect([name, names.filter((each) => !ofNode.test(each) && !read.has(each))]).toEqual([name, []]);
      return [
        name,
        Object.keys(given).filter((variable) => environment.includes(given[variable as keyof typeof given])),
      ];
    }),
  );
  expect(variables).toEqual({
    api: ["REALMPASS_MASTER_KEY"],
    worker: ["REALMPASS_ISSUER_KEY_PASSPHRASE"],
    responder: [],
  });
});

describe("with a given database,", () => {
  let superuser: string;
  beforeAll(async () => {
    const directory = await scratchDirectory("realmpass-given-");
    await copyDataDirectory(directory);
    const server = await startEmbeddedPostgres({
      dataDirectory: directory,
      log: { info: () => undefined, error: () => undefined },
      searchPath: process.env["PATH"] ?? "",
    });
    atEndOfFile(async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    });
    superuser = server.url;
  });

  /** Starts the service in a new database, in which `prepare` makes the given login. */
  async function startIn(name: string, prepare: (url: string) => Promise<string>): Promise<WholeService> {
    await asLogin(superuser, (client) => client.query(`create database ${name}`));
    const url = await prepare(Object.assign(new URL(superuser), { pathname: `/${name}` }).href);
    const service = await start({ data: await scratchDirectory("realmpass-start-"), env: { DATABASE_URL: url } });
    await service.ready();
    return service;
  }

  /** Returns the logins of each process; queues in Postgres use a separate login. */
  const loginsOf = async (database: string): Promise<Record<string, string[]>> => {
    const { rows } = await asLogin(superuser, (client) =>
      client.query<{ name: string; logins: string[] }>(
        `select replace(application_name, 'realmpass ', '') as name, array_agg(distinct usename::text order by usename::text) as logins
           from pg_stat_activity where datname = $1 and application_name like 'realmpass %' group by 1`,
        [database],
      ),
    );
    return Object.fromEntries(rows.map(({ name, logins }) => [name, logins]));
  };

  test("each process signs in with its own login, if the given login can make roles", async () => {
    const service = await startIn("roles_made", (url) => Promise.resolve(url));
    const logins = await loginsOf("roles_made");
    const drawn = logins["responder"]?.[0]?.replace("realmpass_responder_", "") ?? "";
    expect(drawn).toMatch(/^[0-9a-f]{8}$/);
    expect(logins).toEqual({
      api: [`realmpass_api_${drawn}`, `realmpass_queue_${drawn}`],
      responder: [`realmpass_responder_${drawn}`],
      worker: [`realmpass_queue_${drawn}`, `realmpass_worker_${drawn}`],
    });
    expect(service.output()).not.toContain("may not create roles");
  });

  test("all processes share the given login if it cannot create roles, and the terminal reports the shared login", async () => {
    const owner = { name: "realmpass_owner", password: "owner" };
    const service = await startIn("roles_given", async (url) => {
      await makeInstallationRoles(url, [owner]);
      return withLogin(url, owner);
    });
    expect(await loginsOf("roles_given")).toEqual({ api: [owner.name], responder: [owner.name], worker: [owner.name] });
    expect(service.output()).toContain("They share the login of DATABASE_URL, which may not create roles");
  });
});

test.each([
  ["a text that is no domain name", ["--domain", "not a domain"], "--domain: must be a DNS name"],
  ["an unknown argument", ["--domian", "example.org"], "'--domian'"],
])("%s is refused before anything is made", async (_, args, message) => {
  const data = await scratchDirectory("realmpass-start-");
  const service = await start({ data, args: ["dist/start.js", ...args] });
  await expect(service.ready()).rejects.toThrow(message);
  expect(service.child.exitCode).toBe(78);
  expect(readdirSync(data)).toEqual([]);
});

describe("the next start", () => {
  let next: WholeService;
  beforeAll(async () => {
    next = await startWhole({ data: await installed(), args: ["dist/start.js", "--domain", "wifi.campus.de"] });
    atEndOfFile(() => next.stop());
    await next.ready();
  });

  test("has the same data and shows no link", async () => {
    expect(next.output()).toContain("is ready at");
    expect(next.output()).not.toContain("sign-in/");
    const realms = await asOwner(readFileSync(join(next.data, "postgres.url"), "utf8").trim(), (owner) =>
      owner.query(sql`select name, domain from realms`),
    );
    expect(realms).toEqual([{ name: "demo", domain: "demo.example" }]);
  });

  test("ignores another domain, and reports that", () => {
    expect(next.output()).toContain("The domain wifi.campus.de is ignored: there is a realm already");
    expect(first.output()).not.toContain("is ignored");
  });

  test("restarts a worker that dies, and is ready afterwards", async () => {
    const [worker] = processesWith(next, "worker/main");
    process.kill(worker!, "SIGKILL");
    await eventually(() => {
      expect(next.errors()).toContain("starting it again");
    });
    await eventually(() => {
      const workers = processesWith(next, "worker/main");
      expect(workers).toHaveLength(1);
      expect(workers).not.toContain(worker);
    }, looking);
    await next.ready();
  });

  test("leaves only Postgres when killed, and the following start adopts the server", async () => {
    next.child.kill("SIGKILL");
    await eventually(() => {
      expect(processesWith(next, "main.js")).toEqual([]);
    }, looking);

    const adopting = await start({ data: next.data });
    await adopting.ready();
    expect(adopting.errors()).toContain("embedded-postgres.adopted");
  });
});

test("the service reports what it waits for until all its parts are ready, and then that it is ready", async () => {
  const data = await installed();
  const postgres = await startEmbeddedPostgres({
    dataDirectory: data,
    log: { info: () => undefined, error: () => undefined },
    searchPath: process.env["PATH"] ?? "",
  });
  // The issuer of this realm has no key, so no worker publishes its CRL.
  const realmId = await asOwner(postgres.url, (owner) => givenRows(() => owner).realm());
  await postgres.stop();

  const started = await start({ data });
  await eventually(() => {
    expect(started.errors()).toMatch(/"event":"start\.awaited","fields":\[.*"path":"crl"/);
  });
  expect(started.output()).not.toContain("is ready at");
  expect((await fetch(`${started.url}/status`)).status).toBe(503);
  expect((await fetch(`${started.url}/readyz`)).status).toBe(200);

  await asOwner(readFileSync(join(data, "postgres.url"), "utf8").trim(), (owner) =>
    owner.query(sql`update issuers set not_after = now() where realm_id = ${realmId}`),
  );
  await started.ready();
});

/** Runs statements with the owner's rights. */
async function asOwner<Result>(url: string, run: (owner: Database) => Promise<Result>): Promise<Result> {
  const owner = openPatiently({ url, connectionsMax: 1 });
  try {
    return await run(owner);
  } finally {
    await owner.close();
  }
}

test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("stopping npm itself with %s stops everything", async (signal) => {
  const started = await start({ data: await installed(), program: "npm", args: ["start", "--silent"] });
  await started.ready();
  expect(processesWith(started, "main.js")).toHaveLength(3);

  process.kill(started.child.pid!, signal);

  await eventually(() => {
    expect(started.processes().size).toBe(0);
  }, looking);
});

test("a configuration with several faults is refused with an error that lists all faults, and nothing starts", async () => {
  const started = await start({
    data: await scratchDirectory("realmpass-start-"),
    env: { REALMPASS_WAIT_SECONDS: "soon", REALMPASS_PROT: "3000", DATABASE_URL: "mysql://x" },
  });
  await once(started.child, "close");
  expect(started.child.exitCode).toBe(78);
  for (const name of ["REALMPASS_WAIT_SECONDS", "REALMPASS_PROT", "DATABASE_URL"])
    expect(started.errors()).toContain(name);
  expect(readdirSync(started.data)).toEqual([]);
});

test("a port in use is named, and no process is left running", async () => {
  const squatter = createServer().listen(0);
  await once(squatter, "listening");
  onTestFinished(() => void squatter.close());
  const { port } = squatter.address() as AddressInfo;
  const started = await start({ data: await installed(), port });
  await once(started.child, "close");
  expect(started.child.exitCode).toBe(1);
  expect(started.errors()).toMatch(new RegExp(`EADDRINUSE.*:${port}\\b`));
  expect(started.processes().size).toBe(0);
});
