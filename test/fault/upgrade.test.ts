import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { only, type Database } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import type { ProcessKind } from "../../domain/process.ts";
import { findEmbeddedPostgres, startEmbeddedPostgres } from "../../embedded-postgres/embedded-postgres.ts";
import { systemClock } from "../../runtime/clock.ts";
import { consoleIn } from "../support/browser/console-browser.ts";
import { createBrowserSession, type BrowserSession } from "../support/browser/browser-session.ts";
import { eventuallyIn, expectCountsToAddUp, jobOf } from "../support/given/bulk-jobs.ts";
import { atEnd } from "../support/run/at-end.ts";
import { openPatiently } from "../support/run/database.ts";
import { eventually } from "../support/run/eventually.ts";
import { copyDataDirectory, ended, freePort, scratchDirectory } from "../support/run/services.ts";
import { describeWithCommit } from "../support/run/tools.ts";
import { sendRequest, type ApiAnswer } from "../support/service/api.ts";
import { operatorOf, startBuilt, useBuildOf } from "../support/service/built.ts";
import { useQuickKeys } from "../support/service/fault.ts";
import { askDoctor, operate } from "../support/service/operator.ts";
import { startWhole } from "../support/service/whole-service.ts";

/**
 * The last commit whose schema had the table `workers`: its processes cannot run on today's database, and today's
 * processes cannot run on its database.
 */
const before = "6b32b083f55b0aea45a56d4e3219c6a6431492f6";

const people = 1_000;
const device = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
const privateKey = expect.stringContaining("PRIVATE KEY") as string;

/** The state of an installation when it was stopped. */
interface Installation {
  /** Its data directory, with PostgreSQL's and all secrets. */
  data: string;
  port: number;
  url: string;
  realmId: string;
  token: string;
  /** A browser signed in to the console. */
  administrator: BrowserSession;
  guest: { path: string; token: string };
  /** The locations of accepted profiles that were not collected. */
  accepted: string[];
  job: string;
  scheduled: string;
  certificates: readonly object[];
  /** How many people there were before the job. */
  users: number;
}

const quiet = { info: () => undefined, error: () => undefined };
const startPostgres = (dataDirectory: string) =>
  startEmbeddedPostgres({ dataDirectory, log: quiet, searchPath: process.env["PATH"] ?? "" });

/** Starts a process and waits until it has begun. */
async function start(tree: string, kind: ProcessKind, env: Record<string, string>, log: string): Promise<ChildProcess> {
  const { child, begun } = startBuilt(tree, kind, env, log);
  await begun;
  return child;
}

const call = (
  { url, token }: Pick<Installation, "url" | "token">,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<ApiAnswer> =>
  sendRequest(`${url}${path}`, method, { body, headers: { authorization: `Bearer ${token}`, ...headers } });

const certificatesOf = (db: Database) =>
  db.query<{ serial: string }>(sql`
    select serial_number as serial, issuance_id, name, encode(certificate, 'hex') as certificate, revoked_at
      from certificates
     order by id
  `);

const countUsers = async (db: Database): Promise<number> =>
  only(await db.query<{ count: number }>(sql`select count(*)::integer as count from users`)).count;

function ownerOf(url: string): Database {
  const owner = openPatiently({ url, connectionsMax: 2 });
  atEnd(() => owner.close());
  return owner;
}

/** Makes an installation of that commit with data of all kinds, stopped with work under way. */
async function givenInstallation(tree: string): Promise<Installation> {
  const data = await scratchDirectory("realmpass-upgrade-");
  atEnd(() => rm(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  await copyDataDirectory(data);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: data,
    PORT: String(port),
    REALMPASS_DATA_DIRECTORY: data,
    REALMPASS_METRICS_PORT: "0",
    REALMPASS_RSA_KEY_POOL: "0",
  };
  const operator = operatorOf(tree, env);

  const whole = await startWhole({ data, port, args: [join(tree, "dist/start.js")] });
  atEnd(() => ended(whole.child, "SIGKILL"));
  await whole.ready("/readyz");
  const client = await operator("application", "create", "--type", "service", "--name", "U", "--client-uri", url);
  await operator("user", "create", "--username", "grace", "--admin");
  const userID = String((await operator("user", "create", "--username", "ada"))["userID"]);
  const granted = await fetch(`${url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: String(client["client_id"]),
      client_secret: String(client["client_secret"]),
    }),
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const at = { url, token };
  const create = (name: string, prefer: string) =>
    call(at, "POST", `/api/user/${userID}/profiles/${name}`, { body: device, headers: { prefer } });
  const pathOf = ({ status, headers }: ApiAnswer): string => {
    expect(status).toBe(202);
    return new URL(String(headers.location), url).pathname;
  };

  expect((await create("laptop", "wait=60")).status).toBe(200);
  const lost = await create("phone", "wait=60");
  expect((await call(at, "DELETE", `/api/profiles/${lost.body.data.serial}`)).status).toBe(200);
  const inDays = (days: number) => new Date(systemClock.now().getTime() + days * 86_400_000).toISOString();
  const account = await call(at, "POST", "/api/guest-account", { body: { name: "Talk", expirationDate: inDays(7) } });
  const guest = `/api/guest-token/${account.body.data.id}`;
  const guestToken = (await call(at, "GET", guest)).body.data as string;
  const administrator = createBrowserSession(() => [url]);
  const link = await operator("user", "sign-in-link", "--username", "grace");
  await administrator.submit(await administrator.get(String(link["url"])), {});
  await administrator.get(`${url}/console/sign-in`);
  expect(await consoleIn({ url }, administrator).send("GET", "/console/session")).toMatchObject({ status: 200 });
  const leaving = await call(at, "POST", `/api/jobs/offboarding?executeAt=${inDays(30)}`, {
    body: { users: [{ userID }] },
  });
  expect(leaving.status).toBe(202);
  const uncollected = pathOf(await create("tablet", "respond-async"));
  await eventually(async () => {
    expect((await call(at, "GET", `/api/jobs/${leaving.body.data.id}`)).body.data.state).toBe("scheduled");
    expect((await call(at, "GET", "/api/profiles?limit=10")).body.data).toHaveLength(2);
  });
  await ended(whole.child);

  // The same installation, with its processes started separately so the worker can be killed.
  const postgres = await startPostgres(data);
  const owner = openPatiently({ url: postgres.url, connectionsMax: 2 });
  await useQuickKeys({ owner });
  const log = join(data, "before.log");
  const usersBefore = await countUsers(owner);
  const api = await start(tree, "api", { ...env, DATABASE_URL: postgres.url }, log);
  const worker = await start(tree, "worker", { ...env, DATABASE_URL: postgres.url }, log);
  const users = Array.from({ length: people }, (_, index) => ({
    pairwiseID: `person-${index}`,
    profileName: "laptop",
    deviceType: "Linux",
    format: "pem",
  }));
  const headers = { "idempotency-key": randomUUID() };
  const onboarding = await call(at, "POST", "/api/jobs/onboarding", { body: { users }, headers });
  expect(onboarding.status).toBe(202);
  const job = onboarding.body.data.id as string;
  // The database still has the tables of the earlier commit.
  const changed = async (): Promise<number> =>
    only(await owner.query<{ changed: number }>(sql`select changed from jobs where id = ${job}`)).changed;
  await eventually(async () => {
    expect(await changed()).toBeGreaterThan(0);
  });
  await ended(worker, "SIGKILL");
  expect(await changed()).toBeLessThan(people);
  const accepted = await Promise.all([1, 2, 3].map(async (n) => pathOf(await create(`new-${n}`, "respond-async"))));
  await ended(api);
  const [realm] = await owner.query<{ id: string }>(sql`select id from realms`);
  const stopped = {
    data,
    port,
    url,
    realmId: realm!.id,
    token,
    administrator,
    guest: { path: guest, token: guestToken },
    accepted: [uncollected, ...accepted],
    job,
    scheduled: leaving.body.data.id as string,
    certificates: await certificatesOf(owner),
    users: usersBefore,
  };
  await owner.close();
  await postgres.stop();
  return stopped;
}

/** Expects all data to be there, all work to be done once, and the credentials of people and programs to work. */
async function expectNothingLost(installation: Installation, owner: Database): Promise<void> {
  const { url, accepted, job, scheduled, guest, administrator, certificates } = installation;
  const get = (path: string) => call(installation, "GET", path);
  for (const path of accepted) {
    await eventually(async () => {
      expect(await get(path)).toMatchObject({
        status: 200,
        body: { data: { state: "issued", profile: { privateKey } } },
      });
    });
  }
  await eventuallyIn(owner, job, ["completed"], 60_000);
  expect(await jobOf(owner, job)).toMatchObject({ changed: people, failed: 0, skipped: 0 });
  await expectCountsToAddUp(owner, job);
  expect((await get(`/api/jobs/${scheduled}`)).body.data.state).toBe("scheduled");

  expect(await owner.query(sql`select from issuances where status <> 'issued'`)).toEqual([]);
  const now = await certificatesOf(owner);
  expect(now.slice(0, certificates.length)).toEqual(certificates);
  // The three profiles issued first, the three that had only been accepted, and one for each row of the job.
  expect(now).toHaveLength(3 + 3 + people);
  expect(await countUsers(owner)).toBe(installation.users + people);

  expect((await get("/api/realm")).status).toBe(200);
  expect((await get(guest.path)).body.data).toBe(guest.token);
  const exchange = new URLSearchParams({ grant_type: "guest_token", guest_token: guest.token });
  expect((await fetch(`${url}/oauth/token`, { method: "POST", body: exchange })).status).toBe(200);
  expect(await consoleIn({ url }, administrator).send("GET", "/console/session")).toMatchObject({ status: 200 });
}

describeWithCommit(before, "an installation from before processes had their own logins", () => {
  let installation: Installation;

  const tree = useBuildOf(before);
  beforeAll(async () => {
    installation = await givenInstallation(tree());
  });

  /** Copies the installation, as a backup does: the test continues with the copy. */
  async function copied(): Promise<Installation> {
    const data = await scratchDirectory("realmpass-upgraded-");
    atEnd(() => rm(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
    await copyDataDirectory(data, installation.data);
    return { ...installation, data };
  }

  test("works after a mere restart, with warnings, and loses and repeats nothing", async () => {
    const upgraded = await copied();
    const began = performance.now();
    const whole = await startWhole({ data: upgraded.data, port: upgraded.port });
    atEnd(() => whole.stop());
    await whole.ready();
    process.stderr.write(`ready after the upgrade in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
    await expectNothingLost(upgraded, ownerOf((await findEmbeddedPostgres(upgraded.data))!.url));

    expect(whole.errors() + whole.output()).toContain('"event":"database.login_too_wide"');
    const checks = await askDoctor({
      REALMPASS_DATA_DIRECTORY: upgraded.data,
      REALMPASS_PUBLICATION_URL: `http://localhost:${upgraded.port}`,
    });
    expect(checks.filter(({ status }) => status === "fail")).toEqual([]);
    for (const [kind, file] of [
      ["api", "issuer-key-passphrase"],
      ["responder", "ceremony"],
    ] as const) {
      expect(checks).toContainEqual(
        expect.objectContaining({
          name: `process ${kind} ${hostname()}`,
          status: "warn",
          message: expect.stringContaining(`reads_file:${file}`) as string,
        }),
      );
    }
  });

  test("is separated by the steps of docs/upgrade.md: doctor finds no failure, and each process enforces its boundary", async () => {
    const upgraded = await copied();
    const { data, port } = upgraded;
    const dir = join(data, "credentials");
    const postgres = await startPostgres(data);
    atEnd(() => postgres.stop());
    const env = (process: ProcessKind | "operator"): Record<string, string> => {
      const url = new URL(postgres.url);
      const withLogin = (login: string): string => {
        url.username = login;
        url.password = "";
        return url.href;
      };
      return {
        PATH: globalThis.process.env["PATH"] ?? "",
        HOME: data,
        PORT: String(port),
        REALMPASS_DATA_DIRECTORY: join(dir, process),
        DATABASE_URL: withLogin(`realmpass_${process}_login`),
        DATABASE_PASSWORD_FILE: join(dir, process, "database-password"),
        ...(process === "api" || process === "worker"
          ? {
              QUEUE_DATABASE_URL: withLogin("realmpass_queue_login"),
              QUEUE_DATABASE_PASSWORD_FILE: join(dir, process, "queue-database-password"),
            }
          : {}),
        REALMPASS_METRICS_PORT: "0",
        REALMPASS_RSA_KEY_POOL: "0",
      };
    };
    const startAll = async (more: Record<string, string> = {}): Promise<ChildProcess[]> => {
      const started: ChildProcess[] = [];
      for (const kind of ["responder", "worker", "api"] as const) {
        started.push(await start(".", kind, { ...env(kind), ...more }, join(data, `${kind}.log`)));
      }
      return started;
    };

    const made = await operate(["secrets", "create", "--dir", dir, "--from", data], {});
    expect([made.code, made.err]).toEqual([0, ""]);
    const migrated = await operate(["migrate", "--logins", dir], {
      DATABASE_URL: postgres.url,
      REALMPASS_DATA_DIRECTORY: join(dir, "operator"),
    });
    expect([migrated.code, migrated.json["keysNotDer"]]).toEqual([0, []]);
    const running = await startAll();

    await eventually(async () => {
      const checks = await askDoctor(env("operator"));
      for (const name of ["roles", "queue-schema", "secrets", "processes"]) {
        expect(checks).toContainEqual(expect.objectContaining({ name, status: "ok" }));
      }
      expect(checks.filter(({ status }) => status === "fail")).toEqual([]);
      // `doctor` warns about the one step that the operator has left to do.
      expect(checks).toContainEqual(
        expect.objectContaining({
          name: "constraints demo",
          status: "warn",
          remedy: expect.stringContaining("`issuer rotate --realm demo`") as string,
        }),
      );
    });
    const owner = ownerOf(postgres.url);
    await expectNothingLost(upgraded, owner);
    const verified = await operate(["audit", "verify"], env("operator"));
    expect([verified.code, verified.json["ok"]]).toEqual([0, true]);

    await Promise.all(running.map((child) => ended(child)));
    const enforced = await startAll({ REALMPASS_BOUNDARY: "enforce" });
    await expectNothingLost(upgraded, owner);
    await Promise.all(enforced.map((child) => ended(child)));
    for (const kind of ["responder", "worker", "api"]) {
      expect(await readFile(join(data, `${kind}.log`), "utf8")).not.toContain("login_too_wide");
    }
  });
});
