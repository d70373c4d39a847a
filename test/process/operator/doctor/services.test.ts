import { rmSync } from "node:fs";
import { Redis } from "ioredis";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import * as crls from "../../../../db/queries/certificates/crls.ts";
import { sql } from "../../../../db/sql.ts";
import { processKinds } from "../../../../domain/process.ts";
import type { Check } from "../../../../operator/doctor/check.ts";
import { systemClock, type Clock } from "../../../../runtime/clock.ts";
import { givenRows } from "../../../support/given/given.ts";
import { givenProcess } from "../../../support/given/process.ts";
import { startListener, startPublication } from "../../../support/given/publication-server.ts";
import { freePort } from "../../../support/run/services.ts";
import { describeWithTool } from "../../../support/run/tools.ts";
import { startBreakableRedis } from "../../../support/service/fault-services.ts";
import { startPgBouncer } from "../../../support/service/pgbouncer.ts";
import { useOperator, type RunOptions } from "../../../support/service/test-operator.ts";

const operator = useOperator();
let realm: string;
let realmId: string;
let issuerId: string;

beforeAll(async () => {
  realm = await operator.realm();
  const [row] = await operator.database.owner.query<{ realmId: string; issuerId: string }>(sql`
    select r.id as "realmId", i.id as "issuerId" from realms r join issuers i on i.realm_id = r.id where r.name = ${realm}
  `);
  ({ realmId, issuerId } = row!);
});

const look = async (name: string, options?: RunOptions): Promise<Check | undefined> => {
  const { json } = await operator.run(["doctor", "--realm", realm], options);
  return (json["checks"] as Check[]).find((check) => check.name === name);
};

const later = (seconds: number): { clock: Clock } => ({
  clock: { now: () => new Date(systemClock.now().getTime() + seconds * 1_000) },
});

const saying = (text: string): string => expect.stringContaining(text) as string;

describe("the database", () => {
  test("that refuses writes because its disk is full fails the check", async () => {
    expect(await look("database-write")).toMatchObject({ status: "ok" });
    await operator.database.owner.query(sql`
      create function full_disk() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$
    `);
    await operator.database.owner.query(
      sql`create trigger full_disk before update on installation execute function full_disk()`,
    );
    onTestFinished(async () => {
      await operator.database.owner.query(sql`drop function full_disk() cascade`);
    });
    expect(await look("database-write")).toMatchObject({
      status: "fail",
      message: "the disk of PostgreSQL is full",
      remedy: saying("Make room"),
    });
  });

  test("with too few connections for all running processes is a warning", async () => {
    await givenProcess(operator.database.owner, { kind: "api", connectionsMax: 19 });
    await givenProcess(operator.database.owner, { kind: "api", connectionsMax: 10_000, silentSeconds: 20 });
    expect(await look("connections")).toMatchObject({ status: "ok", message: saying("up to 19 connections") });
    await givenProcess(operator.database.owner, { kind: "worker", connectionsMax: 10_000 });
    expect(await look("connections")).toMatchObject({
      status: "warn",
      message: saying("up to 10019 connections"),
      remedy: saying("REALMPASS_DATABASE_CONNECTIONS"),
    });
    await operator.database.owner.query(sql`delete from processes`);
  });
});

describeWithTool("pgbouncer", "PgBouncer before the database", () => {
  test.each([
    ["database", []],
    ["login", ["options", "statement_timeout"]],
  ])("is a failure with a remedy: %s", async (name, ignored) => {
    const url = await startPgBouncer(operator.database.url, ignored);
    expect(await look(name, { env: { DATABASE_URL: url } })).toMatchObject({
      status: "fail",
      message: saying("A pooler between Realmpass and PostgreSQL drops the role"),
      remedy: "Connect directly.",
    });
  });
});

describe("the queue", () => {
  test("fails the check if live processes use different queues", async () => {
    for (const kind of ["api", "worker"] as const) {
      await givenProcess(operator.database.owner, { kind, host: kind, pid: 7, queue: "here" });
    }
    await givenProcess(operator.database.owner, { kind: "worker", queue: "gone", silentSeconds: 20 });
    expect(await look("queue")).toMatchObject({ status: "ok" });
    await givenProcess(operator.database.owner, { kind: "worker", host: "other", pid: 8, queue: "there" });
    const { json } = await operator.run(["doctor"]);
    expect((json["checks"] as Check[]).find(({ name, ok }) => name === "queue" && !ok)?.message).toBe(
      "the processes use different queues: api api 7, worker worker 7; worker other 8",
    );
    await operator.database.owner.query(sql`delete from processes`);
  });

  describeWithTool("redis-server", "in a Redis Cluster", () => {
    test("fails the check", async () => {
      const redis = await startBreakableRedis({ isCluster: true });
      onTestFinished(() => redis.stop());
      expect(await look("queue", { env: { REDIS_URL: redis.url } })).toMatchObject({
        status: "fail",
        message: "Redis Cluster cannot be used; use one Redis",
      });
    });
  });
});

describeWithTool("redis-server", "a login for Redis", () => {
  test("works without INFO, with a warning that the settings are unknown; with INFO the settings are checked", async () => {
    const redis = await startBreakableRedis();
    onTestFinished(() => redis.stop());
    const owner = new Redis(redis.url);
    onTestFinished(() => {
      owner.disconnect();
    });
    const env = { REDIS_URL: redis.url.replace("//", "//queue:secret@") };

    await owner.acl("SETUSER", "queue", "on", ">secret", "~*", "&*", "+@all", "-@dangerous");
    expect(await look("queue", { env })).toMatchObject({ status: "ok" });
    expect(await look("redis-eviction", { env })).toMatchObject({
      status: "warn",
      message: "whether Redis keeps its data is unknown: its login may not run INFO",
    });

    await owner.acl("SETUSER", "queue", "+info");
    expect(await look("redis-eviction", { env })).toMatchObject({ status: "ok", message: "Redis keeps its data" });
  });
});

describe("the URLs in certificates", () => {
  // Registers the processes again, because doctor counts a process as gone if it was last seen 15 seconds ago.
  beforeEach(async () => {
    await operator.database.owner.query(sql`delete from processes`);
    for (const kind of processKinds) await givenProcess(operator.database.owner, { kind });
  });

  beforeAll(async () => {
    const thisUpdate = new Date(systemClock.now().getTime() - 600_000);
    await crls.publish(operator.database.open("realmpass_worker"), {
      issuerId,
      number: "1",
      thisUpdate,
      nextUpdate: new Date(thisUpdate.getTime() + 3_600_000),
      entries: 0,
      size: 4,
      tag: "tag",
      head: Buffer.from([0x30, 2]),
      pieces: [],
      tail: Buffer.from([5, 0]),
    });
    await operator.database.owner.query(
      sql`update crls set number = number + 1, published_at = now() - interval '1 hour'`,
    );
  });

  const publication = async (instead?: Parameters<typeof startPublication>[1]) => {
    const url = await startPublication(operator.database.owner, instead);
    return look("publication", { env: { REALMPASS_PUBLICATION_URL: url } });
  };

  test("are checked by requesting them", async () => {
    expect(await publication()).toMatchObject({ status: "ok" });
  });

  test("pass with a CRL that begins as the current CRL does", async () => {
    expect(await publication({ crl: { body: Buffer.from([0x30, 2, 6, 0]) } })).toMatchObject({ status: "ok" });
  });

  test.each([
    ["a redirect", { crl: { status: 301, location: "https://elsewhere.example" } }, "/crl/ID.crl: status 301"],
    ["another CRL", { crl: { body: Buffer.from([0x30, 3, 1, 1, 1]) } }, "/crl/ID.crl: is not the current CRL"],
    ["another issuer", { ca: { body: Buffer.from("no") } }, "/ca/ID.cer: is not the issuer's certificate"],
    ["a page in place of OCSP", { ocsp: { body: Buffer.from("<html>") } }, "/ocsp/ID: is not an OCSP response"],
    [
      "an answer that says try later",
      { ocsp: { body: Buffer.from("30030a0103", "hex") } },
      "/ocsp/ID: is not an OCSP response",
    ],
  ])("are a failure with %s", async (_, instead, fault) => {
    expect(await publication(instead)).toMatchObject({
      status: "fail",
      message: saying(`: ${fault.replace("ID", issuerId)}`),
      remedy: saying("REALMPASS_PUBLICATION_URL"),
    });
  });

  test("are checked even without an issuer", async () => {
    const later = { clock: { now: () => new Date("2100-01-01T00:00:00Z") } };
    const url = await startListener((_, response) => response.writeHead(404).end('{"error":"not_found"}'));
    const at = (env: string) => look("publication", { env: { REALMPASS_PUBLICATION_URL: env }, ...later });
    expect(await at(url)).toMatchObject({ status: "ok" });
    expect(await at(await startListener((_, response) => response.writeHead(404).end("nginx")))).toMatchObject({
      status: "fail",
      message: saying("does not come from an api"),
    });
  });

  test("are not checked without a live api", async () => {
    await operator.database.owner.query(sql`delete from processes where kind = 'api'`);
    expect(await publication()).toBeUndefined();
  });
});

test("the base URL is requested only while an api is alive", async () => {
  const url = await startListener((_, response) => response.writeHead(502).end());
  const env = { REALMPASS_BASE_URL: url };
  await operator.database.owner.query(sql`delete from processes`);
  expect(await look("base-url", { env })).toBeUndefined();
  await givenProcess(operator.database.owner, { kind: "api" });
  expect(await look("base-url", { env })).toMatchObject({ status: "fail", message: saying("status 502") });
  await operator.database.owner.query(sql`delete from processes`);
});

describe("an identity provider", () => {
  const provider = async (document: (issuer: string) => object, keys: object = { keys: [{ kty: "EC" }] }) => {
    const issuer = await startListener((request, response) => {
      const isDiscovery = request.url === "/.well-known/openid-configuration";
      response.end(JSON.stringify(isDiscovery ? document(issuer) : keys));
    });
    return issuer;
  };
  const found = async (issuer: string): Promise<Check | undefined> => {
    await operator.database.owner.query(sql`
      update realms set upstream_issuer = ${issuer}, upstream_client_id = 'realmpass' where id = ${realmId}
    `);
    return look(`upstream ${realm}`);
  };

  test("that returns its name and keys passes", async () => {
    expect(await look(`upstream ${realm}`)).toBeUndefined();
    const issuer = await provider((url) => ({ issuer: url, jwks_uri: `${url}/keys` }));
    expect(await found(issuer)).toMatchObject({ status: "ok" });
  });

  test("that is unreachable, has another name, or has no keys fails", async () => {
    expect(await found(`http://127.0.0.1:${await freePort()}`)).toMatchObject({
      status: "fail",
      message: saying("ECONNREFUSED"),
    });
    expect(await found(await provider((url) => ({ issuer: `${url}/other`, jwks_uri: `${url}/keys` })))).toMatchObject({
      status: "fail",
      message: saying("calls itself"),
    });
    expect(
      await found(await provider((url) => ({ issuer: url, jwks_uri: `${url}/keys` }), { keys: [] })),
    ).toMatchObject({
      status: "fail",
      message: saying("publishes no keys"),
    });
  });

  test("that signs in anyone fails without a rule about who may use the realm; other providers need no rule", async () => {
    expect(await found("https://accounts.google.com")).toMatchObject({
      status: "fail",
      message: saying("anybody with an account"),
      remedy: saying("--may-use"),
    });
    const own = await provider((url) => ({ issuer: url, jwks_uri: `${url}/keys` }));
    expect(await found(own)).toMatchObject({ status: "ok" });
  });

  test("with only one of its two settings is a warning", async () => {
    await operator.database.owner.query(sql`update realms set upstream_client_id = null where id = ${realmId}`);
    expect(await look(`upstream ${realm}`)).toMatchObject({ status: "warn", remedy: saying("--upstream-client-id") });
    await operator.database.owner.query(sql`
      update realms set upstream_client_id = 'realmpass', upstream_issuer = null where id = ${realmId}
    `);
    expect(await look(`upstream ${realm}`)).toMatchObject({ status: "warn", remedy: saying("--upstream-issuer") });
  });

  test("that does not answer delays doctor only by seconds", async () => {
    expect(await found(await startListener(() => undefined))).toMatchObject({
      status: "fail",
      message: saying("no answer within 5 s"),
    });
    await operator.database.owner.query(
      sql`update realms set upstream_issuer = null, upstream_client_id = null where id = ${realmId}`,
    );
  });
});

describe("the backlog", () => {
  test("of issuances is a warning after 30 s and a failure after 60", async () => {
    await operator.database.owner.query(sql`
      insert into issuances (id, realm_id, kind, name, format, key_type, validity_months, created_at)
      values (gen_random_uuid(), ${realmId}, 'infrastructure', 'radius.example.org', 'pem', 'ec-p256', 12, now())
    `);
    expect(await look("backlog", later(20))).toMatchObject({ status: "ok" });
    expect(await look("backlog", later(40))).toMatchObject({ status: "warn", message: saying("waits to be issued") });
    expect(await look("backlog", later(70))).toMatchObject({ status: "fail", remedy: saying("issuance.refused") });
    await operator.database.owner.query(sql`delete from issuances`);
  });

  test("includes requests for responder certificates", async () => {
    await operator.database.owner.query(sql`
      insert into responder_requests (process_id, issuer_id, public_key)
      values (gen_random_uuid(), ${issuerId}, ${Buffer.alloc(91)})
    `);
    expect(await look("backlog", later(40))).toMatchObject({ status: "warn", message: saying("a responder waits") });
    await operator.database.owner.query(sql`delete from responder_requests`);
  });

  test("lists bulk jobs that make no progress", async () => {
    const [job] = await operator.database.owner.query<{ id: string }>(sql`
      insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, started_at, total, progress_at)
      values (gen_random_uuid(), ${realmId}, 'onboarding', 'running', false, '{userID}', now(), now(), 1, now())
      returning id
    `);
    expect(await look("backlog", later(200))).toMatchObject({ status: "ok" });
    expect(await look("backlog", later(400))).toMatchObject({ status: "warn", message: saying(job!.id) });
    await operator.database.owner.query(sql`delete from jobs`);
  });
});

test("a root key that is still in the place where it was made causes a warning", async () => {
  expect(await look(`root-key ${realm}`)).toMatchObject({ status: "warn", message: saying("ceremony") });
  rmSync(operator.data.ceremony, { recursive: true });
  expect(await look(`root-key ${realm}`)).toBeUndefined();
});

test("a RADIUS server's certificate is named before and after it expires, until it is renewed", async () => {
  const given = givenRows(() => operator.database.owner);
  const profile = async (days: number) => {
    const serial = await given.profile({ realmId }, { kind: "infrastructure" });
    await operator.database.owner.query(sql`
      update certificates
         set identity = 'radius.example.org', not_before = now() - interval '1 year',
             not_after = now() + make_interval(days => ${days})
       where serial_number = ${serial}
    `);
  };
  const status = async () => (await look("certificate radius.example.org"))?.status;
  await profile(-30);
  expect(await status()).toBeUndefined();
  await profile(-1);
  expect(await status()).toBe("fail");
  await profile(20);
  expect(await status()).toBe("warn");
  await profile(22);
  expect(await status()).toBeUndefined();
});

test("an audit log not exported for a day is a warning", async () => {
  const kept = (seconds: number) => look(`audit-kept ${realm}`, later(seconds));
  expect(await kept(0)).toMatchObject({ status: "ok", message: saying("never exported") });
  expect(await kept(90_000)).toMatchObject({ status: "warn", remedy: saying("audit export") });
  expect((await operator.run(["audit", "export", "--out", `${operator.data.path}/exports`], later(80_000))).code).toBe(
    0,
  );
  expect(await kept(90_000)).toMatchObject({ status: "ok", message: saying("last exported") });
});
