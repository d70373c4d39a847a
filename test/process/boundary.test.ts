import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { installationLogins, makeInstallationRoles } from "../../db/logins.ts";
import { startEmbeddedPostgres } from "../../embedded-postgres/embedded-postgres.ts";
import { runOperator } from "../../operator/program.ts";
import { migrateAll } from "../../operator/migrate/migrate.ts";
import type { Check } from "../../operator/doctor/check.ts";
import { systemClock } from "../../runtime/clock.ts";
import { withLogin } from "../../runtime/config/server-url.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { eventually } from "../support/run/eventually.ts";
import { asLogin } from "../support/run/queue-schema.ts";
import { copyDataDirectory, ended, freePort } from "../support/run/services.ts";

/** A cluster for this file alone, with the logins and the secrets of an installation. */
let superuser: string;
let directory: string;
let secrets: string;

const loginUrl = (login: string): string => withLogin(superuser, { name: login, password: login });

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "realmpass-boundary-"));
  await copyDataDirectory(directory);
  const server = await startEmbeddedPostgres({
    dataDirectory: directory,
    log: { info: () => undefined, error: () => undefined },
    searchPath: process.env["PATH"] ?? "",
  });
  atEndOfFile(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  superuser = server.url;
  await makeInstallationRoles(
    superuser,
    installationLogins.map(({ name }) => ({ name, password: name })),
  );
  await migrateAll(superuser);
  secrets = join(directory, "secrets");
  await operator(["secrets", "create", "--dir", secrets], superuser);
  await asLogin(superuser, (client) =>
    client.query(`
      create role two_roles login password 'two_roles' in role realmpass_api, realmpass_worker;
      create role nobody login password 'nobody';
      create role owning login password 'owning' in role realmpass_api;
      grant connect, create on database realmpass to two_roles, nobody, owning;
      set role owning;
      create schema owned;
    `),
  );
});

interface Line {
  event?: string;
  exitCode?: number;
  reasons?: string[];
  msg: string;
}

/** Starts a process with only these variables, and stops it at the end of the test. */
function start(name: "api" | "worker", env: Record<string, string>, files: readonly string[] = []) {
  const data = mkdtempSync(join(directory, "data-"));
  cpSync(join(secrets, name), data, { recursive: true });
  for (const file of files) writeFileSync(join(data, file), "secret");
  const child = fork(`dist/${name}/main.js`, {
    env: {
      PATH: process.env["PATH"],
      PORT: "0",
      REALMPASS_METRICS_PORT: "0",
      REALMPASS_RSA_KEY_POOL: "0",
      REALMPASS_DATA_DIRECTORY: data,
      QUEUE_DATABASE_URL: loginUrl("realmpass_queue_login"),
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  onTestFinished(() => ended(child));
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
  const lines = (): Line[] =>
    err
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line);
  return {
    child,
    lines,
    event: (event: string) => lines().find((line) => line.event === event),
    ready: () =>
      Promise.race([
        once(child, "message"),
        once(child, "exit").then(([code]) => {
          throw new Error(`ended with ${String(code)}: ${err}`);
        }),
      ]),
    async exitCode(): Promise<number | null> {
      if (child.exitCode === null) await once(child, "close");
      return child.exitCode;
    },
  };
}

/**
 * Starts a proxy in front of Postgres that acts like a pooler without the role option: the proxy replaces the option by
 * another.
 */
async function startPooler(): Promise<string> {
  const { hostname, port } = new URL(superuser);
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    client.once("data", (startup) => {
      const dropped = startup
        .toString("latin1")
        .replace(/-c role=(\w+)/, (option) =>
          option.replace(/role=\w+/, ($0) => "geqo_seed=0.".padEnd($0.length, "0")),
        );
      upstream.write(Buffer.from(dropped, "latin1"));
      client.pipe(upstream);
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return Object.assign(new URL(superuser), { port: String((server.address() as AddressInfo).port) }).href;
}

const enforced = { REALMPASS_BOUNDARY: "enforce" };

test("processes with separate logins start with the boundary enforced, and doctor finds no fault in the roles", async () => {
  const api = start("api", { ...enforced, DATABASE_URL: loginUrl("realmpass_api_login") });
  const worker = start("worker", { ...enforced, DATABASE_URL: loginUrl("realmpass_worker_login") });
  await Promise.all([api.ready(), worker.ready()]);
  expect([...api.lines(), ...worker.lines()].filter(({ event }) => event === "database.login_too_wide")).toEqual([]);
  expect(await examined("roles")).toMatchObject({ status: "ok" });
});

test.each([
  ["postgres", "api", ["superuser", "createrole", "replication", "bypassrls"]],
  ["two_roles", "api", ["member_of:realmpass_worker"]],
  ["owning", "api", ["owner"]],
  [
    "realmpass_owner",
    "worker",
    [
      "owner",
      "member_of:pg_database_owner",
      "member_of:realmpass_api",
      "member_of:realmpass_operator",
      "member_of:realmpass_responder",
    ],
  ],
] as const)(
  "the login %s of the %s has too many rights, which causes a warning or ends the process",
  async (login, name, reasons) => {
    const url = login === "postgres" ? superuser : loginUrl(login);
    if (login === "realmpass_owner") {
      await asLogin(superuser, (client) => client.query("alter role realmpass_owner password 'realmpass_owner'"));
    }

    const warned = start(name, { DATABASE_URL: url });
    await warned.ready();
    expect(warned.event("database.login_too_wide")?.reasons).toEqual(reasons);
    expect(await examined("roles")).toMatchObject({
      status: "warn",
      message: expect.stringContaining(`${login} ${reasons[0]}`) as string,
    });

    const refused = start(name, { ...enforced, DATABASE_URL: url });
    expect(await refused.exitCode()).toBe(78);
    const failed = refused.event("process.failed");
    expect(failed?.exitCode).toBe(78);
    for (const reason of reasons) expect(failed?.msg).toMatch(new RegExp(`^  - ${reason}: \\w`, "m"));
  },
);

test.each([
  [{ QUEUE_DATABASE_URL: "" }, ["shared_queue_login"]],
  [{ QUEUE_DATABASE_URL: "api" }, ["queue:member_of:realmpass_api", "shared_queue_login"]],
])("a queue without its own login is reported: %j", async (env, reasons) => {
  const url = loginUrl("realmpass_api_login");
  const api = start("api", { DATABASE_URL: url, QUEUE_DATABASE_URL: env.QUEUE_DATABASE_URL === "" ? "" : url });
  await api.ready();
  expect(api.event("database.login_too_wide")?.reasons).toEqual(reasons);
});

test("an api that can read secrets of issuer keys is reported with the names of the secrets' files", async () => {
  const api = start("api", { DATABASE_URL: loginUrl("realmpass_api_login"), ...enforced }, [
    "issuer-key-passphrase",
    "audit-key.json",
  ]);
  expect(await api.exitCode()).toBe(78);
  expect(api.event("process.failed")?.msg).toMatch(
    /- reads_file:issuer-key-passphrase: .*\n {2}- reads_file:audit-key\.json: /,
  );
});

describe("a process ends even with REALMPASS_BOUNDARY=warn", () => {
  test("behind a pooler that drops the role", async () => {
    const pooler = await startPooler();
    const url = withLogin(pooler, { name: "realmpass_api_login", password: "realmpass_api_login" });
    const api = start("api", { DATABASE_URL: url });
    expect(await api.exitCode()).toBe(78);
    expect(api.event("database.guard_refused")?.msg).toBe(
      "The session runs as realmpass_api_login, not as realmpass_api. A pooler between Realmpass and PostgreSQL drops the role; connect directly.",
    );
  });

  test("with a login outside the role", async () => {
    const api = start("api", { DATABASE_URL: loginUrl("nobody") });
    expect(await api.exitCode()).toBe(78);
    expect(api.event("database.guard_refused")?.msg).toContain("grant realmpass_api to it");
  });

  test("with a role that has too many rights", async () => {
    await asLogin(superuser, (client) => client.query("grant select on issuer_keys to realmpass_api"));
    try {
      const api = start("api", { DATABASE_URL: loginUrl("realmpass_api_login") });
      expect(await api.exitCode()).toBe(78);
      expect(api.event("database.guard_refused")?.msg).toContain("realmpass_api may select issuer_keys");
      expect(await examined("roles")).toMatchObject({
        status: "fail",
        message: expect.stringContaining("revoke SELECT on public.issuer_keys from realmpass_api cascade") as string,
      });
    } finally {
      await migrateAll(superuser);
    }
  });

  test("with a login outside the role once Postgres is back, if it was away at the start", async () => {
    const port = await freePort();
    const url = Object.assign(new URL(loginUrl("nobody")), { port: String(port) }).href;
    const api = start("api", { DATABASE_URL: url });
    await eventually(() => {
      expect(api.event("database.awaited")).toBeDefined();
    });

    const { hostname, port: postgresPort } = new URL(superuser);
    const proxy = createServer((client) => {
      const upstream = connect({ host: hostname, port: Number(postgresPort) });
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) socket.on("error", () => client.destroy());
    }).listen(port, "127.0.0.1");
    onTestFinished(() => void proxy.close());
    expect(await api.exitCode()).toBe(78);
    expect(api.event("database.guard_refused")?.msg).toContain("grant realmpass_api to it");
  });
});

test("a password that is refused briefly is retried; a password that stays refused ends the process with 1", async () => {
  const setPassword = (password: string) =>
    asLogin(superuser, (client) => client.query(`alter role realmpass_api_login password '${password}'`));
  await setPassword("another");
  try {
    const late = start("api", { DATABASE_URL: loginUrl("realmpass_api_login") });
    expect(await late.exitCode()).toBe(1);
    expect(late.event("process.failed")?.msg).toContain("password authentication failed");

    const early = start("api", { DATABASE_URL: loginUrl("realmpass_api_login") });
    await eventually(() => {
      expect(early.event("database.password_refused")).toBeDefined();
    });
    await setPassword("realmpass_api_login");
    await early.ready();
  } finally {
    await setPassword("realmpass_api_login");
  }
});

test("doctor reports that its own login may not act as the operator", async () => {
  expect(await examined("login", loginUrl("nobody"))).toMatchObject({
    status: "fail",
    remedy: expect.stringContaining("Grant realmpass_operator") as string,
  });
});

test("doctor distinguishes a wrong password from a server that is away", async () => {
  const wrong = await examined("database", withLogin(superuser, { name: "nobody", password: "wrong" }));
  expect(wrong).toMatchObject({
    status: "fail",
    message: expect.stringContaining("password authentication failed") as string,
    remedy: "Correct the login, the password or the database's name in DATABASE_URL (or DATABASE_PASSWORD).",
  });
  const away = await examined("database", Object.assign(new URL(superuser), { port: String(await freePort()) }).href);
  expect(away).toMatchObject({
    status: "fail",
    remedy: "Start PostgreSQL, or correct the host and port in DATABASE_URL.",
  });
});

test("an operator command other than migrate reports that its login is a superuser", async () => {
  const errorsOf = async (url: string) => (await operator(["realm", "list"], url)).err;
  expect(await errorsOf(superuser)).toContain("postgres is a superuser, and only `migrate` needs that");
  expect(await errorsOf(loginUrl("realmpass_operator_login"))).toBe("");
  expect((await operator(["migrate"], superuser)).err).toBe("");
});

async function operator(argv: readonly string[], url: string) {
  let out = "";
  let err = "";
  const data = join(directory, "operator");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const code = await runOperator([...argv, "--json"], {
    env: { DATABASE_URL: url, REALMPASS_DATA_DIRECTORY: data },
    nodeVersion: process.versions.node,
    clock: systemClock,
    writeOut: (line) => (out += line),
    writeError: (line) => (err += line),
    readSecret: () => text(process.stdin),
  });
  return { code, err, json: JSON.parse(out) as Record<string, unknown> };
}

/** Returns one finding of `doctor`. */
async function examined(name: string, url = loginUrl("realmpass_operator_login")): Promise<Check | undefined> {
  let check: Check | undefined;
  await eventually(async () => {
    const { json } = await operator(["doctor"], url);
    check = (json["checks"] as Check[] | undefined)?.find((each) => each.name === name);
    if (check === undefined) throw new Error(JSON.stringify(json));
  });
  return check;
}
