import { execFile } from "node:child_process";
import { randomUUID, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { only } from "../../db/client.ts";
import { migrations } from "../../db/migrations/index.ts";
import * as offboarding from "../../db/operations/offboarding.ts";
import * as heldJobs from "../../db/queries/bulk-job/run/held.ts";
import * as users from "../../db/queries/people/users.ts";
import { sql, verbatim } from "../../db/sql.ts";
import { processKinds, type ProcessKind } from "../../domain/process.ts";
import { systemClock } from "../../runtime/clock.ts";
import type { QueueBackend } from "../../runtime/queue/queues.ts";
import { createBrowserSession } from "../support/browser/browser-session.ts";
import { consoleIn } from "../support/browser/console-browser.ts";
import { eventuallyIn, expectCountsToAddUp, jobOf } from "../support/given/bulk-jobs.ts";
import { readCrl, storedCrl } from "../support/pki/crl.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, outcomeOf } from "../support/pki/ocsp.ts";
import { atEnd } from "../support/run/at-end.ts";
import { emptyDatabase, openPatiently } from "../support/run/database.ts";
import { eventually } from "../support/run/eventually.ts";
import { startReverseProxy } from "../support/run/reverse-proxy.ts";
import { ended, freePort, freshRedisDatabase, scratchDirectory } from "../support/run/services.ts";
import { describeWithCommit, describeWithTool } from "../support/run/tools.ts";
import { sendRequest, type ApiAnswer } from "../support/service/api.ts";
import { givenProfiles, useQuickKeys } from "../support/service/fault.ts";
import { operatorOf, startBuilt, useBuildOf, type BuiltProcess } from "../support/service/built.ts";
import type { SeenCheck } from "../support/service/operator.ts";

const [release = "", commit = ""] = readFileSync("deploy/previous-release", "utf8").trim().split(" ");

/**
 * How many clients send requests at the same time. Each state of the upgrade lasts at least `rounds` rounds of these
 * clients.
 */
const clients = 3;
const rounds = 15;
/** The clients keep one of this many profiles, so nobody reaches the limit of 100 profiles. */
const keptEvery = 8;
const people = 100;
const tryLater = 3;

describeWithCommit(commit, `the previous release (${release}) and this one`, () => {
  const before = useBuildOf(commit);

  describe("with the queues on Postgres", () => {
    sideBySide("postgres");
  });
  describeWithTool("redis", "with the queues on Redis", () => {
    sideBySide("redis");
  });

  test("after a rollback the previous release serves, issues and revokes, and this release's doctor finds no failure", async () => {
    const installation = await givenInstallation(before(), "postgres");
    const { owner, operator, use, load, signIn, doctor } = installation;
    const applied = await owner.query(sql`select from knex_migrations`);
    const isAhead = migrations.length > applied.length;
    await operator.new("migrate");
    expect(await operator.old("migrate")).toMatchObject({ migrations: [] });
    const back = await installation.start("old");
    await Promise.all(Object.values(back).map(({ begun }) => begun));
    use([back]);

    const running = load();
    await running.proceed();
    await signIn("old");
    // From this point the dashboard of 0.2.1 fails (see docs/upgrade.md).
    const held = await givenHeld(installation);
    await running.proceed();
    const { failures, revoked } = await running.stop();
    expect(failures).toEqual([]);
    expect(revoked.length).toBeGreaterThan(0);
    // The held job of the directory's leavers still waits for a decision.
    expect(await held.state()).toEqual({ job: "grace", row: "working", isForgotten: false });
    expect(await installation.askOcsp(held.serial)).toBe("good");

    const found = await doctor("new");
    expect(failuresIn(found)).toEqual([]);
    expect(found).toContainEqual(
      expect.objectContaining({
        name: "processes",
        status: "ok",
        message: expect.stringContaining(`worker 1 (${release})`) as string,
      }),
    );
    const foundByOld = await doctor("old");
    expect(failuresIn(foundByOld)).toEqual(isAhead && comparesRights.has(release) ? ["roles"] : []);
    if (isAhead && !comparesRights.has(release)) {
      const message = expect.stringContaining("of a newer version") as string;
      expect(foundByOld).toContainEqual(expect.objectContaining({ name: "migrations", message }));
    }

    // The doctor must report an additional right as a failure.
    await owner.query(verbatim("grant delete on audit_entries to realmpass_api"));
    expect(failuresIn(await doctor("new"))).toEqual(["roles"]);
    expect(await installation.faults()).toEqual([]);
  }, 600_000);

  function sideBySide(kind: QueueBackend["kind"]): void {
    test("run side by side under load without loss or failure, and can be rolled back", async () => {
      const installation = await givenInstallation(before(), kind);
      const { owner, operator, use, load, signIn, onboard, processes } = installation;

      const old = await installation.start("old");
      await Promise.all(Object.values(old).map(({ begun }) => begun));
      use([old]);
      const running = load();
      await running.proceed();
      await signIn("old");

      const applied = await owner.query(sql`select from knex_migrations`);
      const hasMigrations = migrations.length > applied.length;
      const fresh = await installation.start("new");
      if (hasMigrations) await expectWaiting(installation, fresh);
      expect(await processes()).toEqual(expect.arrayContaining(Object.values(old).map(({ child }) => child.pid)));
      await running.proceed();

      // Migrates under load while a job runs. The new release begins without a restart, in parallel with the old
      // release.
      const jobs = [await onboard("first")];
      const { migrations: migrated } = await operator.new("migrate");
      expect((migrated as unknown[]).length > 0).toBe(hasMigrations);
      await Promise.all(Object.values(fresh).map(({ begun }) => begun));
      use([old, fresh]);
      jobs.push(await onboard("second"));
      await running.proceed();
      await signIn("old");
      await signIn("new");
      expect(await operator.old("audit", "verify")).toMatchObject({ ok: true });
      expect(await operator.new("audit", "verify")).toMatchObject({ ok: true });

      // Finishes the rollout.
      use([fresh]);
      await installation.stop(old);
      jobs.push(await onboard("third"));
      await running.proceed();
      await signIn("new");

      // Rolls back to the old release, on the new release's schema.
      const back = await installation.start("old");
      await Promise.all(Object.values(back).map(({ begun }) => begun));
      use([back]);
      await installation.stop(fresh);
      jobs.push(await onboard("fourth"));
      await running.proceed();
      await signIn("old");

      const { failures, revoked, kept } = await running.stop();
      expect(failures).toEqual([]);
      for (const job of jobs) {
        await eventuallyIn(owner, job, ["completed"], 60_000);
        expect(await jobOf(owner, job)).toMatchObject({ changed: people, failed: 0, skipped: 0 });
        await expectCountsToAddUp(owner, job);
      }
      expect(await owner.query(sql`select from issuances where status <> 'issued'`)).toEqual([]);
      const issued = await owner.query<{ serial: string; issuance: string }>(sql`
        select serial_number as serial, issuance_id as issuance from certificates
      `);
      expect(issued).toHaveLength(revoked.length + kept.length + jobs.length * people);
      expect(new Set(issued.map(({ issuance }) => issuance)).size).toBe(issued.length);
      for (const serial of revoked) expect(await installation.askOcsp(serial)).toBe("revoked");
      for (const serial of kept) expect(await installation.askOcsp(serial)).toBe("good");
      await eventually(async () => {
        const { entries } = readCrl(await storedCrl(owner, "1"));
        expect([...entries.keys()].sort()).toEqual([...revoked].sort());
      });
      for (const version of ["old", "new"] as const) {
        await eventually(async () => {
          expect(await operator[version]("audit", "verify")).toMatchObject({ ok: true });
        });
      }
      expect(await installation.faults()).toEqual([]);
    }, 600_000);
  }
});

/**
 * Makes a person whom a directory deactivated long ago, and whose device keeps its access until an administrator
 * confirms the held job.
 */
async function givenHeld({ owner, operator }: Installation) {
  const realmId = "1";
  const at = systemClock.now();
  const userId = String((await operator.new("user", "create", "--username", "held"))["userID"]);
  const clientId = String(
    (
      await operator.new(
        ...["application", "create", "--type", "service", "--name", "D", "--client-uri", "http://localhost"],
      )
    )["client_id"],
  );
  await givenProfiles({ owner, realmId, issuerId: "1" }, [userId], 1);
  const [{ serial } = { serial: "" }] = await owner.query<{ serial: string }>(
    sql`select serial_number as serial from certificates where user_id = ${userId}`,
  );
  const jobId = randomUUID();
  const actor = { userId: null, clientId };
  await owner.transaction(async (tx) => {
    const found = await users.lock(tx, { realmId, userId });
    if (found === undefined) throw new Error("the person is there");
    await heldJobs.create(tx, { realmId, jobId, actor, at, requestId: jobId });
    const leaver = { realmId, userId, found, serials: [serial], actor, at, also: {} };
    await offboarding.hold(tx, { ...leaver, jobId });
  });
  await owner.query(sql`update realms set forget_after_months = 1`);
  await owner.query(sql`update users set offboarded_at = now() - interval '2 months' where id = ${userId}`);
  const state = async () =>
    only(
      await owner.query(sql`
        select j.state as job, r.status as row, u.forgotten_at is not null as "isForgotten"
          from jobs j join job_rows r on r.job_id = j.id join users u on u.id = r.user_id
         where j.id = ${jobId}
      `),
    );
  return { serial, state };
}

/** Releases whose doctor reports the rights of a newer release as wrong (see docs/upgrade.md). */
const comparesRights = new Set(["0.2.1"]);

/**
 * The tests' Postgres does not wait for its disk, and this machine's disk may be full: failures of these checks do not
 * count.
 */
const ofTheMachine = ["postgres-settings", "disk"];
const failuresIn = (checks: readonly SeenCheck[]): string[] =>
  checks.filter(({ name, status }) => status === "fail" && !ofTheMachine.includes(name)).map(({ name }) => name);

/** Expects the new release to wait for its migrations and to change nothing. */
async function expectWaiting({ logOf, processes }: Installation, fresh: Processes): Promise<void> {
  for (const kindOf of processKinds) {
    await eventually(async () => {
      expect(await logOf("new", kindOf)).toContain('"event":"schema.behind"');
    });
  }
  expect((await sendRequest(`${fresh.api.url}/healthz`, "GET")).status).toBe(200);
  const refused = await sendRequest(`${fresh.api.url}/api/realm`, "GET");
  expect(refused).toBeError("unavailable");
  expect(refused.headers["retry-after"]).toBeDefined();
  const pids = Object.values(fresh).map(({ child }) => child.pid);
  expect((await processes()).filter((pid) => pids.includes(pid))).toEqual([]);
}

type Installation = Awaited<ReturnType<typeof givenInstallation>>;
type Version = "old" | "new";
type Processes = Record<ProcessKind, BuiltProcess> & { api: { url: string } };

/**
 * Makes an installation of the previous release with a realm, people and an application, on which both releases can
 * run.
 */
async function givenInstallation(tree: string, kind: QueueBackend["kind"]) {
  const clone = await emptyDatabase();
  const directory = await scratchDirectory("realmpass-mixed-");
  const owner = openPatiently({ url: clone.url, connectionsMax: 2 });
  atEnd(async () => {
    await owner.close();
    await clone.drop();
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const trees: Record<Version, string> = { old: tree, new: "." };
  let targets: Processes[] = [];
  let turn = 0;
  const proxy = await startReverseProxy(() => targets[turn++ % targets.length]!.api.url);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: directory,
    DATABASE_URL: clone.url,
    ...(kind === "redis" && { REDIS_URL: freshRedisDatabase() }),
    REALMPASS_BASE_URL: proxy.url,
    REALMPASS_DATA_DIRECTORY: join(directory, "data"),
    REALMPASS_GENERATE_SECRETS: "1",
    REALMPASS_METRICS_PORT: "0",
    REALMPASS_OCSP_PORT: "0",
    REALMPASS_RSA_KEY_POOL: "0",
    REALMPASS_RATE_LIMIT_SERVICE: "100000",
    REALMPASS_RATE_LIMIT_TOKENS: "1000000",
  };
  const operator = { old: operatorOf(trees.old, env), new: operatorOf(trees.new, env) };
  const logFile = (version: Version, kindOf: ProcessKind): string => join(directory, `${version}-${kindOf}.log`);

  await operator.old("migrate");
  await operator.old("realm", "create", "--name", "demo", "--domain", "demo.example");
  await operator.old("realm", "set", "--local-sign-in", "on", "--max-profiles", "100");
  await useQuickKeys({ owner });
  // Raises the limit on offboardings, because the load revokes most of its profiles within the hour.
  await owner.query(sql`update realms set offboarding_share_percent = 100`);
  await operator.old("user", "create", "--username", "grace", "--admin");
  const userIds: string[] = [];
  for (let number = 0; number < clients; number++) {
    userIds.push(String((await operator.old("user", "create", "--username", `user-${number}`))["userID"]));
  }
  const client = await operator.old(
    ...["application", "create", "--type", "service", "--name", "U", "--client-uri", "http://localhost"],
  );

  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    sendRequest(`${proxy.url}${path}`, method, {
      body,
      headers: { authorization: `Bearer ${await token()}`, ...headers },
    });
  let granted: Promise<string> | undefined;
  const token = (): Promise<string> => (granted ??= grant());
  const grant = async (): Promise<string> => {
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: String(client["client_id"]),
      client_secret: String(client["client_secret"]),
    });
    const answer = await sendRequest(`${proxy.url}/oauth/token`, "POST", {
      raw: form.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(answer.status, `a token: ${answer.text}`).toBe(200);
    return String(answer.body.access_token);
  };

  let issuer: Buffer | undefined;
  async function askOcsp(serialNumber: string): Promise<string | number> {
    issuer ??= (await askOverHttp(`${proxy.url}/ca/1.cer`)).body;
    const body = encodeOcspRequest([encodeCertId({ issuer, serialNumber })]);
    const answer = await askOverHttp(`${proxy.url}/ocsp/1`, { body });
    expect(answer.status, `OCSP: ${answer.body.toString()}`).toBe(200);
    return outcomeOf(answer.body);
  }

  const logOf = (version: Version, kindOf: ProcessKind) => readFile(logFile(version, kindOf), "utf8");

  /** Returns the errors that either release logged. */
  async function faults(): Promise<string[]> {
    const logs = await Promise.all(
      (["old", "new"] as const).flatMap((version) =>
        processKinds.map((kindOf) => logOf(version, kindOf).catch(() => "")),
      ),
    );
    return logs.flatMap((log) => log.split("\n").filter((line) => /"level":"(?:error|fatal)"/.test(line)));
  }

  return {
    owner,
    operator,
    askOcsp,
    logOf,
    faults,

    /** Starts one process of each kind. The processes can have to wait before they begin. */
    start: async (version: Version): Promise<Processes> => {
      const port = await freePort();
      const started = Object.fromEntries(
        processKinds.map((kindOf) => [
          kindOf,
          startBuilt(trees[version], kindOf, { ...env, PORT: String(port) }, logFile(version, kindOf)),
        ]),
      ) as Record<ProcessKind, BuiltProcess>;
      return { ...started, api: { ...started.api, url: `http://127.0.0.1:${port}` } };
    },
    stop: async (processes: Processes): Promise<void> => {
      for (const { child } of [processes.api, processes.worker, processes.responder]) await ended(child);
    },
    /** Sends all further requests to the apis of these processes, in turn. */
    use: (processes: Processes[]): void => {
      targets = processes;
    },
    /** Returns the ids of the processes that are registered as alive, ordered by kind. */
    processes: async (): Promise<number[]> => {
      const rows = await owner.query<{ kind: ProcessKind; pid: number }>(sql`select kind, pid from processes`);
      return processKinds.flatMap((kindOf) => rows.filter((row) => row.kind === kindOf).map(({ pid }) => pid));
    },

    /** Signs in an administrator with a link from a release's operator program, and opens the console. */
    signIn: async (version: Version): Promise<void> => {
      const link = await operator[version]("user", "sign-in-link", "--username", "grace");
      const browser = createBrowserSession(() => [proxy.url]);
      await browser.submit(await browser.get(String(link["url"])), {});
      await browser.get(`${proxy.url}/console/sign-in`);
      const console = consoleIn({ url: proxy.url }, browser);
      // Requests each path twice, so that two apis both get a request.
      for (const path of ["/console/session", "/console/session", "/console/api/overview", "/console/api/overview"]) {
        expect((await console.send("GET", path)).status).toBe(200);
      }
    },

    /** Returns the findings of a release's `operator doctor`. */
    doctor: async (version: Version): Promise<SeenCheck[]> => {
      const args = [join(trees[version], "dist/operator/main.js"), "doctor", "--json"];
      // The command exits with 1 if a check fails.
      const run = promisify(execFile)(process.execPath, args, { env }).catch((error: unknown) => error);
      return (JSON.parse(((await run) as { stdout: string }).stdout) as { checks: SeenCheck[] }).checks;
    },

    /** Starts a job that onboards people, each with a profile; returns the job's id. */
    onboard: async (name: string): Promise<string> => {
      const users = Array.from({ length: people }, (_, index) => ({
        pairwiseID: `${name}-${index}`,
        profileName: "laptop",
        deviceType: "Linux",
        format: "pem",
      }));
      const answer = await call("POST", "/api/jobs/onboarding", { users }, { "idempotency-key": name });
      expect(answer.status).toBe(202);
      return answer.body.data.id as string;
    },

    /** Starts clients that make profiles, ask for their status, and revoke most of them, until they are stopped. */
    load: () => {
      let done = 0;
      let isStopping = false;
      const failures: string[] = [];
      const revoked: string[] = [];
      const kept: string[] = [];
      const well = ({ status, text }: ApiAnswer, what: string, ...expected: number[]): void => {
        if (!expected.includes(status)) throw new Error(`${what}: ${status} ${text.slice(0, 300)}`);
      };

      async function once(userId: string, name: string, isRevoked: boolean): Promise<void> {
        const path = `/api/user/${userId}/profiles/${name}`;
        const body = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
        let answer = await call("POST", path, body, { prefer: "wait=20", "idempotency-key": name });
        well(answer, "create", 200, 202);
        // A stopping process redirects waiting clients to the other processes.
        while (answer.status === 202 || answer.body.data.certificate === undefined) {
          const issuance = new URL(String(answer.headers.location), proxy.url).pathname;
          answer = await eventually(async () => {
            const collected = await call("GET", issuance);
            well(collected, "collect", 200);
            return { ...collected, body: { data: collected.body.data.profile } };
          });
        }
        const { serialNumber } = new X509Certificate(answer.body.data.certificate as string);
        const serial = BigInt(`0x${serialNumber}`).toString();
        expect(["good", tryLater]).toContain(await askOcsp(serial));
        if (isRevoked) {
          well(await call("DELETE", `/api/profiles/${answer.body.data.serial}`), "revoke", 200);
          revoked.push(serial);
          // A responder may repeat a cached response for some seconds.
          await eventually(async () => {
            expect(await askOcsp(serial)).toBe("revoked");
          });
        } else {
          kept.push(serial);
        }
        well(await call("GET", "/api/profiles?limit=5"), "list", 200);
        well(await sendRequest(`${proxy.url}/crl/1.crl`, "GET"), "CRL", 200);
        await grant();
      }

      const working = userIds.map(async (userId, number) => {
        for (let round = 0; !isStopping; round++) {
          await once(userId, `device-${number}-${round}`, round % keptEvery !== 0).catch((error: unknown) => {
            failures.push(error instanceof Error ? error.message : String(error));
            isStopping = true;
          });
          done++;
        }
      });
      return {
        /** Resolves when the clients have completed more than `rounds` further rounds. */
        async proceed(): Promise<void> {
          const from = done;
          await eventually(
            () => {
              expect(done - from > rounds || failures.length > 0).toBe(true);
            },
            { withinMs: 120_000, everyMs: 100 },
          );
          expect(failures, failures.length === 0 ? "" : (await faults()).join("\n")).toEqual([]);
        },
        async stop() {
          isStopping = true;
          await Promise.all(working);
          return { failures, revoked, kept };
        },
      };
    },
  };
}
