import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createServiceHealth } from "../../../../api/resources/health/service-health.ts";
import type { HealthCheck } from "../../../../api/contract/deps.ts";
import type { Database } from "../../../../db/client.ts";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as crls from "../../../../db/queries/certificates/crls.ts";
import { sql } from "../../../../db/sql.ts";
import { operatorActor } from "../../../../domain/audit/audit.ts";
import { processKinds } from "../../../../domain/process.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import type { Variable } from "../../../../runtime/config/variables.ts";
import { fromNow } from "../../../support/given/given.ts";
import { givenIssuance, givenIssuingRealm, givenUser, type IssuingRealm } from "../../../support/given/issuing.ts";
import { givenProcess } from "../../../support/given/process.ts";
import { useApi } from "../../../support/service/api.ts";
import { silentLog } from "../../../support/service/worker.ts";

let isInStep = true;
let mismatches: readonly Variable[] | undefined = [];
let statements = 0;
const api = useApi({
  needs: { clock: { isInStep: () => isInStep }, secrets: { lastMismatches: () => mismatches } },
  watch: (db) => ({
    ...db,
    query: (statement) => {
      statements++;
      return db.query(statement);
    },
  }),
});
const { as } = api;
const owner = () => api.database.owner;

test("healthz succeeds without a token", async () => {
  expect(await as.nobody().get("/healthz")).toMatchObject({
    status: 200,
    body: { result: "ok", data: { status: "live" } },
  });
});

describe("readiness", () => {
  afterEach(() => {
    isInStep = true;
    mismatches = [];
  });
  const ready = async () => {
    const answer = await as.nobody().get("/readyz");
    if (answer.status === 200) return answer.body.data as unknown;
    expect(answer).toBeError("unavailable");
    expect(answer.headers["retry-after"]).toBe("1");
    return answer.body.fields as unknown;
  };

  test("covers only this process: it needs no queue, worker or responder", async () => {
    await owner().query(sql`delete from processes`);
    expect(await ready()).toEqual({
      database: { ok: true, ms: expect.any(Number) },
      schema: { ok: true },
      keys: { ok: true },
      clock: { ok: true },
    });
  });

  test("names the variables whose keys differ from the installation's, and fails until the keys are compared", async () => {
    mismatches = ["REALMPASS_MASTER_KEY", "REALMPASS_OUTPUT_PRIVATE_KEY"];
    expect(await ready()).toEqual([
      { path: "keys", reason: "not those of the installation: REALMPASS_MASTER_KEY, REALMPASS_OUTPUT_PRIVATE_KEY" },
    ]);
    mismatches = undefined;
    expect(await ready()).toEqual([{ path: "keys", reason: "were not compared with the installation's yet" }]);
  });

  test("fails if the clock differs from the database's", async () => {
    isInStep = false;
    expect(await ready()).toMatchObject([{ path: "clock" }]);
  });

  test("names the schema if one migration or every migration is missing", async () => {
    await owner().query(sql`update knex_migrations set name = 'x' || name where id = 1`);
    expect(await ready()).toMatchObject([{ path: "schema", reason: expect.stringMatching(/^not run yet: \d{8}-/) }]);
    await owner().query(sql`update knex_migrations set name = substr(name, 2) where id = 1`);
    await owner().query(sql`alter table knex_migrations rename to elsewhere`);
    expect(await ready()).toEqual([{ path: "schema", reason: "no migration has been run" }]);
    await owner().query(sql`alter table elsewhere rename to knex_migrations`);
  });
});

describe("the overall status", () => {
  const names = ["database", "schema", "queue", "apis", "workers", "signers", "responders"].concat([
    "crl",
    "audit",
    "backlog",
    "directory",
    "disk",
    "clock",
  ]);
  let realm: IssuingRealm;
  let db: Database;
  let crlNumber = 0;
  let isQueueAway = false;
  let expected = { api: 1, worker: 1, responder: 1 };
  let isDiskFull = false;

  beforeAll(async () => {
    db = api.database.open("realmpass_api");
    realm = await givenIssuingRealm(owner());
  });
  beforeEach(async () => {
    [isQueueAway, isDiskFull] = [false, false];
    expected = { api: 1, worker: 1, responder: 1 };
    // Expires the issuers of other realms, which have no keys.
    await owner().query(sql`update issuers set not_after = now() - interval '1 second' where id <> ${realm.issuerId}`);
    await owner().query(sql`delete from processes`);
    for (const kind of processKinds)
      await givenProcess(owner(), { kind, host: "secret.example", clockSkewMs: 0, startedSeconds: 7_200 });
    await givenCrl(fromNow(-60_000));
  });

  const givenCrl = async (thisUpdate: Date): Promise<void> => {
    await crls.publish(api.database.open("realmpass_worker", { connectionsMax: 1 }), {
      issuerId: realm.issuerId,
      number: String(++crlNumber),
      thisUpdate,
      nextUpdate: new Date(thisUpdate.getTime() + 3_600_000),
      entries: 0,
      size: 2,
      tag: "tag",
      head: Buffer.from([1]),
      pieces: [],
      tail: Buffer.from([2]),
    });
  };

  /** Returns the current checks, without the cached result of the last seconds. */
  const look = (): Promise<readonly HealthCheck[]> =>
    createServiceHealth({
      db,
      queues: { ping: () => (isQueueAway ? Promise.reject(new Error("away")) : Promise.resolve()) },
      disk: { isFull: () => Promise.resolve(isDiskFull) },
      expected,
      clock: systemClock,
      log: silentLog,
    })();

  /** Returns the states of the checks that are not ok, by name. */
  const faults = async (): Promise<Record<string, string>> => {
    const checks = await look();
    for (const { state, reason } of checks) expect(reason === null).toBe(state === "ok");
    expect(JSON.stringify(checks)).not.toContain("secret.example");
    return Object.fromEntries(checks.flatMap(({ name, state }) => (state === "ok" ? [] : [[name, state]])));
  };
  const silence = (kind: string, seconds: number) =>
    owner().query(sql`
      update processes set seen_at = clock_timestamp() - make_interval(secs => ${seconds}) where kind = ${kind}
    `);
  const skew = (kind: string, ms: number) =>
    owner().query(sql`update processes set clock_skew_ms = ${ms} where kind = ${kind}`);

  test("is ok if every check is ok", async () => {
    const checks = (await look()).map(({ name, state, reason }) => ({ name, state, reason }));
    expect(checks).toEqual(names.map((name) => ({ name, state: "ok", reason: null })));
  });

  test("warns while people whom a directory has deactivated wait for confirmation", async () => {
    await owner().query(sql`
      insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, started_at, marked_at, expected_change,
                        origin, progress_at)
      values (gen_random_uuid(), ${realm.realmId}, 'offboarding', 'grace', false, '{userID}', now(), now(), now(), 0,
              'scim', now())
    `);
    expect(await faults()).toEqual({ directory: "warn" });
    await owner().query(sql`update jobs set state = 'queued', revoke_at = now() where origin = 'scim'`);
    expect(await faults()).toEqual({});
    await owner().query(sql`delete from jobs where origin = 'scim'`);
  });

  test.each([
    ["worker", "workers"],
    ["responder", "responders"],
  ])("fails without a live %s", async (kind, name) => {
    await silence(kind, 16);
    expect(await faults()).toEqual({ [name]: "fail" });
    await owner().query(sql`delete from processes where kind = ${kind}`);
    expect(await faults()).toEqual({ [name]: "fail" });
  });

  test.each([
    ["api", "apis"],
    ["worker", "workers"],
    ["responder", "responders"],
  ] as const)("warns during the first hour after the %s fell silent, but not later", async (kind, name) => {
    await silence(kind, 3_500);
    await givenProcess(owner(), { kind, startedSeconds: 3_600 });
    expect(await faults()).toEqual({ [name]: "warn" });
    await owner().query(
      sql`update processes set seen_at = seen_at - interval '200 s' where seen_at < now() - interval '1 minute'`,
    );
    expect(await faults()).toEqual({});
  });

  test("stops warning once as many workers have started as have fallen silent", async () => {
    await givenProcess(owner(), { kind: "worker", startedSeconds: 7_200 });
    await silence("worker", 600);
    await givenProcess(owner(), { kind: "worker", startedSeconds: 300 });
    expect(await faults()).toEqual({ workers: "warn" });
    await givenProcess(owner(), { kind: "worker", startedSeconds: 10 });
    expect(await faults()).toEqual({});
  });

  test("warns if the replacement of a silent worker also falls silent, even while other workers run", async () => {
    await silence("worker", 900);
    await givenProcess(owner(), { kind: "worker", startedSeconds: 600, silentSeconds: 300 });
    await givenProcess(owner(), { kind: "worker", startedSeconds: 200 });
    await givenProcess(owner(), { kind: "worker", startedSeconds: 100 });
    expect(await faults()).toEqual({ workers: "warn" });
    expect((await look()).find(({ name }) => name === "workers")?.reason).toBe(
      "one after the other falls silent and does not stop cleanly",
    );
    // Both workers fell silent at the same time, as when their machine fails.
    await owner().query(sql`update processes set started_at = started_at - interval '1 hour' where kind = 'worker'`);
    await givenProcess(owner(), { kind: "worker" });
    await givenProcess(owner(), { kind: "worker" });
    expect(await faults()).toEqual({});
  });

  test.each([
    ["api", "apis", "REALMPASS_EXPECTED_APIS"],
    ["worker", "workers", "REALMPASS_EXPECTED_WORKERS"],
    ["responder", "responders", "REALMPASS_EXPECTED_RESPONDERS"],
  ] as const)(
    "warns if fewer of %s are alive than are expected, and names the setting",
    async (kind, name, setting) => {
      expected = { ...expected, [kind]: 2 };
      expect(await faults()).toEqual({ [name]: "warn" });
      expect((await look()).find((each) => each.name === name)?.reason).toBe(`fewer are alive than ${setting}`);
      await givenProcess(owner(), { kind });
      expect(await faults()).toEqual({});
      await owner().query(sql`delete from processes where kind = ${kind}`);
      expect(await faults()).toEqual({ [name]: kind === "api" ? "warn" : "fail" });
    },
  );

  test("fails if no worker can sign for an issuing CA, and names the CA's number", async () => {
    const problems = [
      { code: "issuer_away", detail: `issuer ${realm.issuerId}`, since: systemClock.now() },
      { code: "issuer_away", detail: `issuer ${realm.issuerId}0`, since: systemClock.now() },
    ] as const;
    await owner().query(sql`delete from processes where kind = 'worker'`);
    await givenProcess(owner(), { kind: "worker", problems });
    expect(await faults()).toEqual({ signers: "fail" });
    expect(await look()).toContainEqual({
      name: "signers",
      state: "fail",
      reason: `no worker can sign for issuer ${realm.issuerId}`,
    });
    await givenProcess(owner(), { kind: "worker", problems: problems.slice(1) });
    expect(await faults()).toEqual({});
  });

  test("warns if clocks differ by more than 2 s, and fails if the clocks of all workers differ by more than 5 s", async () => {
    await skew("api", -2_001);
    expect(await faults()).toEqual({ clock: "warn" });
    await skew("api", 2_000);
    expect(await faults()).toEqual({});
    await skew("worker", -5_001);
    expect(await faults()).toEqual({ clock: "warn", signers: "fail" });
  });

  test("fails if a CRL is missing or has expired, and warns after half of its validity", async () => {
    await givenCrl(fromNow(-1_801_000));
    expect(await faults()).toEqual({ crl: "warn" });
    await givenCrl(fromNow(-3_601_000));
    expect(await faults()).toEqual({ crl: "fail" });
    await api.given.realm();
    const [{ id } = { id: "" }] = await owner().query<{ id: string }>(sql`select max(id) as id from issuers`);
    expect(await look()).toContainEqual(
      expect.objectContaining({ name: "crl", reason: `missing or ended for issuer ${realm.issuerId}, ${id}` }),
    );
    await givenCrl(fromNow(-1_801_000));
    expect(await faults()).toEqual({ crl: "fail" });
  });

  test("warns if audit entries have been unsealed for more than a minute", async () => {
    const record = (at: Date) =>
      audit.record(owner(), { realmId: realm.realmId, event: "crl_publish", actor: operatorActor, at, properties: {} });
    await owner().query(sql`delete from audit_unsealed`);
    await record(fromNow(-50_000));
    expect(await faults()).toEqual({});
    await owner().query(sql`delete from audit_unsealed`);
    await record(fromNow(-61_000));
    expect(await faults()).toEqual({ audit: "warn" });
    await owner().query(sql`delete from audit_unsealed`);
  });

  test("warns without the queue, and if work waits for more than a minute; fails if both happen together", async () => {
    isQueueAway = true;
    expect(await faults()).toEqual({ queue: "warn" });
    const id = await givenIssuance(owner(), {
      realmId: realm.realmId,
      userId: await givenUser(owner(), realm.realmId),
      at: fromNow(-61_000),
    });
    expect(await faults()).toEqual({ queue: "warn", backlog: "fail" });
    isQueueAway = false;
    expect(await faults()).toEqual({ backlog: "warn" });
    await owner().query(sql`
      update issuances set status = 'failed', error_code = 'issuance_failed', finished_at = now() where id = ${id}
    `);
    expect(await faults()).toEqual({});
  });

  test("fails if this process or another has found the disk full", async () => {
    isDiskFull = true;
    expect(await faults()).toEqual({ disk: "fail" });
    isDiskFull = false;
    await givenProcess(owner(), {
      kind: "worker",
      problems: [{ code: "disk_full", detail: "the disk of PostgreSQL is full", since: systemClock.now() }],
    });
    expect(await faults()).toEqual({ disk: "fail" });
  });

  test("reports only the schema as failing if it does not fit this version", async () => {
    await owner().query(sql`update knex_migrations set name = 'x' || name where id = 1`);
    expect(await faults()).toEqual({ schema: "fail" });
    await owner().query(sql`update knex_migrations set name = substr(name, 2) where id = 1`);
    await owner().query(sql`alter table audit_unsealed rename to elsewhere`);
    expect(await faults()).toEqual({ schema: "fail" });
    await owner().query(sql`alter table elsewhere rename to audit_unsealed`);
  });

  test("lists the versions of live processes of each kind, also during a failure", async () => {
    await owner().query(sql`update processes set version = '0.2.1'`);
    await givenProcess(owner(), { kind: "api", version: "0.2.0" });
    await givenProcess(owner(), { kind: "worker", version: "0.1.0", silentSeconds: 20 });
    const answer = await (await api.another()).as.nobody().get("/status");
    const versions = (answer.body.data.checks as HealthCheck[]).flatMap((check) =>
      check.versions === undefined ? [] : [[check.name, check.versions]],
    );
    expect(versions).toEqual([
      ["apis", ["0.2.0", "0.2.1"]],
      ["workers", ["0.2.1"]],
      ["responders", ["0.2.1"]],
    ]);
    await owner().query(sql`delete from processes where kind = 'worker'`);
    const failing = await (await api.another()).as.nobody().get("/status");
    expect(failing.body).toMatchObject({
      error_description: "Failing: workers. Running: apis 0.2.0 and 0.2.1, responders 0.2.1.",
    });
  });

  test("is public, returns 503 with the failures, and costs one query for all callers", async () => {
    await owner().query(sql`delete from processes where kind = 'worker'`);
    const failing = (await api.another()).as;
    const [answer] = await Promise.all([failing.nobody().get("/status"), failing.nobody().get("/status")]);
    expect(answer).toBeError("unavailable");
    expect(answer.headers["retry-after"]).toBe("5");
    expect(answer.body).toMatchObject({
      error_description: expect.stringMatching(/^Failing: workers\./) as string,
      fields: [{ path: "workers", reason: "none is alive" }],
    });

    await givenProcess(owner(), { kind: "worker", host: "secret.example", startedSeconds: 60 });
    await givenProcess(owner(), { kind: "worker", silentSeconds: 20 });
    statements = 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => as.nobody().get("/status")));
    expect(statements).toBe(1);
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.data.state).toBe("degraded");
      expect(body.data.checks.map(({ name }: { name: string }) => name)).toEqual(names);
      expect(JSON.stringify(body)).not.toContain("secret.example");
    }
  });
});
