import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql, verbatim } from "../../db/sql.ts";
import { systemClock } from "../../runtime/clock.ts";
import { generateOutputKeyPair } from "../../runtime/keys/sealed-output.ts";
import { drawSecret } from "../../runtime/keys/data-directory.ts";
import type { ProcessKind } from "../../domain/process.ts";
import { anHourAhead } from "../support/run/faketime.ts";
import { eventually } from "../support/run/eventually.ts";
import type { ProxyOutcome, ServerCertificate } from "../support/run/reverse-proxy.ts";
import { freePort } from "../support/run/services.ts";
import { requireTool } from "../support/run/tools.ts";
import { givenUser } from "../support/given/issuing.ts";
import { startBreakableRedis, type BreakableRedis } from "../support/service/fault-services.ts";
import { openssl } from "../support/pki/openssl.ts";
import { startPgBouncer } from "../support/service/pgbouncer.ts";
import { askDoctor } from "../support/service/operator.ts";
import {
  endedCertificate,
  pemIn,
  startProduction,
  validCertificate,
  type Production,
} from "../support/service/production.ts";
import { alertsOf, samplesOf, scrape, type Alerts, type Scrape } from "../support/service/prometheus.ts";

/** The visible signs of a mistake, from a row of docs/troubleshooting.md. */
interface Shown {
  process: string;
  readyz: string;
  status: string;
  doctor: string;
  alerts: string;
  log: string;
  first: string;
}

/** The table of docs/troubleshooting.md, by its first column. */
const table = new Map(
  readFileSync("docs/troubleshooting.md", "utf8")
    .split("## What each mistake looks like")[1]!
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")))
    .map(([, mistake, process, readyz, status, doctor, alerts, log, first]) => [
      mistake!,
      { process, readyz, status, doctor, alerts, log, first } as Shown,
    ]),
);

/**
 * Returns the first to notice the mistake. A unit fails immediately when its process exits with 78. An alert fires
 * within minutes. The timer runs doctor every quarter of an hour, and only a failed check makes the timer's unit fail.
 */
function firstToNotice({ process, status, doctor }: Omit<Shown, "first">, { soon, inAll }: Alerts): string {
  if (process === "ends with 78") return "realmpass-failed@";
  if (soon.length > 0) return "an alert";
  if (doctor.includes("fail: ")) return "doctor's timer";
  if (inAll.length > 0) return "an alert, later";
  if (status !== "ok") return "who looks at /status";
  return doctor === "ok" ? "users" : "who runs doctor";
}

/** Makes the mistake, and returns the state of the affected process and a function that undoes it. */
type Mistake = (
  production: Production,
  redis: BreakableRedis,
) => Promise<{ process: string; undo: () => Promise<unknown> }>;

const runs = (undo: () => Promise<unknown>) => ({ process: "runs", undo });

/** Waits for a process to end by itself, and returns how it ended. */
const endOf = (started: Promise<unknown>): Promise<string> =>
  started.then(
    () => "it started",
    (error: unknown) => `ends with ${/exit code (\d+)/.exec((error as Error).message)?.[1] ?? String(error)}`,
  );

/**
 * Replaces one of two processes with a process that exits. Returns how the new process exited, and a function that
 * restores the old process.
 */
async function replacementEnds(
  production: Production,
  kind: ProcessKind,
  { env, undo }: { env: Record<string, string>; undo?: () => Promise<unknown> },
) {
  return {
    process: await endOf(production.replace(kind, env)),
    undo: async () => {
      await undo?.();
      await production.start(kind);
    },
  };
}

const startBoth = (production: Production, kind: ProcessKind, env?: Record<string, string>) =>
  Promise.all([production.start(kind, env), production.start(kind, env)]);

const endSessionsOf = (login: string) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${login}`;

/** Replaces an api with an api that has a separate login. From then on the database rejects this login. */
async function refuseLogin(
  production: Production,
  refuse: (login: string) => string,
  admit: (login: string) => string,
) {
  const { service } = production;
  const { owner } = service;
  const login = `dismissed_${process.pid}`;
  await owner.query(verbatim(`create role ${login} login password 'x' in role realmpass_api, realmpass_queue`));
  const url = Object.assign(new URL(service.databaseUrl), { username: login, password: "x" }).href;
  const child = await production.replace("api", { DATABASE_URL: url });
  await owner.query(verbatim(refuse(login)));
  await owner.query(endSessionsOf(login));
  return runs(async () => {
    await owner.query(verbatim(admit(login)));
    await eventually(async () => {
      expect(await service.call("GET", "/readyz")).toMatchObject({ status: 200 });
    });
    await production.stop(child);
    await production.start("api");
    await owner.query(endSessionsOf(login));
    await owner.query(verbatim(`revoke realmpass_api, realmpass_queue from ${login}`));
    await owner.query(verbatim(`drop role ${login}`));
  });
}

/** Repeats an attempt until the test undoes the mistake. */
function keepTrying(everyMs: number, attempt: () => Promise<unknown>, undo: () => Promise<unknown>) {
  const timer = setInterval(() => void attempt().catch(() => undefined), everyMs);
  return runs(async () => {
    clearInterval(timer);
    await undo();
  });
}

const hoursAgo = (hours: number): Date => new Date(systemClock.now().getTime() - hours * 3_600_000);

const anotherPassphrase = { REALMPASS_ISSUER_KEY_PASSPHRASE: "not the passphrase of these issuers" };

const mistakes: Record<string, Mistake> = {
  "one of two workers has another passphrase": (production) =>
    replacementEnds(production, "worker", { env: anotherPassphrase }),

  async "every worker has another passphrase"(production) {
    await production.stopAll("worker");
    const started = [production.start("worker", anotherPassphrase), production.start("worker", anotherPassphrase)];
    const ends = new Set(await Promise.all(started.map(endOf)));
    return { process: [...ends].join(", "), undo: () => startBoth(production, "worker") };
  },

  "a worker has another output key": (production) =>
    replacementEnds(production, "worker", {
      env: { REALMPASS_OUTPUT_PUBLIC_KEY: generateOutputKeyPair().publicJwk },
    }),

  "an api has another master key": (production) =>
    replacementEnds(production, "api", { env: { REALMPASS_MASTER_KEY: drawSecret.masterKey() } }),

  "the database refuses the password": (production) => {
    const url = Object.assign(new URL(production.service.databaseUrl), { password: "wrong" }).href;
    return replacementEnds(production, "worker", { env: { DATABASE_URL: url } });
  },

  async "a login lacks its role"(production) {
    const { owner, databaseUrl } = production.service;
    const login = `nobody_${process.pid}`;
    await owner.query(verbatim(`create role ${login} login password 'x'`));
    const url = Object.assign(new URL(databaseUrl), { username: login, password: "x" }).href;
    const undo = () => owner.query(verbatim(`drop role ${login}`));
    return replacementEnds(production, "worker", { env: { DATABASE_URL: url }, undo });
  },

  "the login of an api that runs lost its role": (production) =>
    refuseLogin(
      production,
      (login) => `revoke realmpass_api, realmpass_queue from ${login}`,
      (login) => `grant realmpass_api, realmpass_queue to ${login}`,
    ),

  "the password of an api that runs was changed": (production) =>
    refuseLogin(
      production,
      (login) => `alter role ${login} password 'changed'`,
      (login) => `alter role ${login} password 'x'`,
    ),

  "PostgreSQL has no connection left for an api": (production) =>
    refuseLogin(
      production,
      (login) => `alter role ${login} connection limit 0`,
      (login) => `alter role ${login} connection limit -1`,
    ),

  async "a session holds a lock on a table"({ service }) {
    const [holder, waiter] = await Promise.all([openSession(service), openSession(service)]);
    await holder.query("begin; lock table users in access exclusive mode");
    const waiting = waiter.query("select count(*) from users");
    return runs(async () => {
      await holder.end();
      await waiting;
      await waiter.end();
    });
  },

  // The transaction has been open since before the first mistake, but without this right doctor cannot see it.
  async "a transaction stays open"({ service: { owner } }) {
    await owner.query(sql`grant pg_read_all_stats to realmpass_operator`);
    return runs(() => owner.query(sql`revoke pg_read_all_stats from realmpass_operator`));
  },

  async "PgBouncer lies before PostgreSQL"(production) {
    const url = await startPgBouncer(production.service.databaseUrl);
    return replacementEnds(production, "worker", { env: { DATABASE_URL: url } });
  },

  async "PgBouncer drops what it does not know"(production) {
    const url = await startPgBouncer(production.service.databaseUrl, ["options", "statement_timeout"]);
    return replacementEnds(production, "worker", { env: { DATABASE_URL: url } });
  },

  async "a migration has not been run"(production) {
    const { owner } = production.service;
    const [last] = await owner.query<{ name: string }>(sql`
      delete from knex_migrations where id = (select max(id) from knex_migrations) returning name
    `);
    const waiting = production.replace("worker");
    return {
      process: "waits",
      async undo() {
        await owner.query(
          sql`insert into knex_migrations (name, batch, migration_time) values (${last!.name}, 1, now())`,
        );
        await waiting;
      },
    };
  },

  async "the database is of a newer version"({ service: { owner } }) {
    await owner.query(
      sql`insert into knex_migrations (name, batch, migration_time) values ('29990101-0000-newer', 1, now())`,
    );
    return runs(() => owner.query(sql`delete from knex_migrations where name = '29990101-0000-newer'`));
  },

  async "the database is too new for this version"(production) {
    const { owner } = production.service;
    await owner.query(sql`update installation set minimum_migration = '29990101-0000-newer'`);
    const undo = () => owner.query(sql`update installation set minimum_migration = null`);
    return replacementEnds(production, "worker", { env: {}, undo });
  },

  async "the clock of every worker is wrong"(production) {
    await production.stopAll("worker");
    await startBoth(production, "worker", anHourAhead());
    return runs(async () => {
      await production.stopAll("worker");
      await startBoth(production, "worker");
    });
  },

  async "the clock of an api is wrong"(production) {
    const child = await production.replace("api", anHourAhead());
    return runs(async () => {
      await production.stop(child);
      await production.start("api");
    });
  },

  async "the disk of PostgreSQL is full"({ service }) {
    const { owner, realmId } = service;
    await owner.query(sql`
      create function disk_is_full() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$
    `);
    await owner.query(sql`create trigger disk_is_full before insert on issuances execute function disk_is_full()`);
    await owner.query(sql`create trigger disk_is_full before update on installation execute function disk_is_full()`);
    const user = await givenUser(owner, realmId);
    const create = () =>
      service.call("POST", `/api/user/${user}/profiles/phone`, { format: "pem", deviceType: "Linux" });
    const asked = await create();
    expect([asked.status, asked.headers["retry-after"] !== undefined]).toEqual([503, true]);
    return keepTrying(5_000, create, () => owner.query(sql`drop function disk_is_full() cascade`));
  },

  async "the database is read-only"({ service: { owner } }) {
    const set = (value: "on" | "off") =>
      verbatim(
        `do $$ begin execute format('alter database %I set default_transaction_read_only to ${value}', current_database()); end $$`,
      );
    const endSessions = sql`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like 'realmpass %'
         and application_name <> 'realmpass test'
    `;
    await owner.query(set("on"));
    await owner.query(endSessions);
    return runs(async () => {
      await owner.query(sql`set default_transaction_read_only to off`);
      await owner.query(set("off"));
      await owner.query(endSessions);
    });
  },

  async "Redis is away"(_, redis) {
    return runs(await redis.takeAway());
  },

  async "Redis is a replica"(_, redis) {
    return runs(await redis.demote());
  },

  async "the memory of Redis is full"(_, redis) {
    await redis.configure("maxmemory", "1");
    return runs(() => redis.configure("maxmemory", "0"));
  },

  async "Redis cannot save its data"(_, redis) {
    return runs(await redis.failSnapshots());
  },

  async "Redis may throw away what it holds"(_, redis) {
    await redis.configure("maxmemory-policy", "allkeys-lru");
    return runs(() => redis.configure("maxmemory-policy", "noeviction"));
  },

  async "Redis is a Redis Cluster"(production) {
    const cluster = await startBreakableRedis({ isCluster: true });
    return replacementEnds(production, "worker", { env: { REDIS_URL: cluster.url }, undo: () => cluster.stop() });
  },

  async "no worker runs"(production) {
    await production.stopAll("worker");
    return runs(() => startBoth(production, "worker"));
  },

  async "a worker was killed, and another one runs"(production) {
    const { owner, workers } = production.service;
    const child = workers[0]!;
    await production.stop(child, "SIGKILL");
    await production.start("worker");
    return runs(() => owner.query(sql`delete from processes where pid = ${child.pid!}`));
  },

  async "no responder runs"(production) {
    await production.stopAll("responder");
    return runs(() => startBoth(production, "responder"));
  },

  async "a CRL has ended"(production) {
    await production.stopAll("worker");
    await production.service.owner.transaction(async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`);
      await tx.query(
        sql`update crls set this_update = now() - interval '3 days', next_update = now() - interval '1 day'`,
      );
    });
    return runs(() => startBoth(production, "worker"));
  },

  async "no dump was made for more than two days"(production) {
    await production.dateBackup("dump", hoursAgo(55));
    return runs(() => production.dateBackup("dump", hoursAgo(0)));
  },

  async "dumps were not copied away for more than a day"(production) {
    await production.dateBackup("copy", hoursAgo(25));
    return runs(() => production.dateBackup("copy", hoursAgo(0)));
  },

  async "the proxy reaches no api"({ web, publication }) {
    const decide = (outcome: ProxyOutcome) => {
      for (const proxy of [web, publication]) proxy.decide(() => outcome);
      return Promise.resolve();
    };
    await decide({ status: 502 });
    return runs(() => decide("pass"));
  },

  async "the certificate of the proxy has ended"({ web }) {
    const certificate = validCertificate();
    const present = (presented: ServerCertificate) => {
      web.present(presented);
      return Promise.resolve();
    };
    await present(endedCertificate(certificate));
    return runs(() => present(certificate));
  },

  async "the base URL is misspelt"(production) {
    const { doctor, web } = production;
    const misspelt = { REALMPASS_BASE_URL: `https://127.0.0.1:${await freePort()}` };
    Object.assign(doctor, misspelt);
    const child = await production.replace("api", misspelt);
    return runs(async () => {
      Object.assign(doctor, { REALMPASS_BASE_URL: web.url });
      await production.stop(child);
      await production.start("api");
    });
  },

  async "the identity provider is away"({ service }) {
    const [realm] = await setProvider(service, `http://127.0.0.1:${await freePort()}`);
    const signIn = () => fetch(`http://127.0.0.1:${service.apiPort}/login/upstream?realm=${realm!.name}`);
    expect((await signIn()).status).toBe(503);
    return keepTrying(1_000, signIn, () => setProvider(service, null));
  },

  async "anybody can have an account at the identity provider"({ service }) {
    await setProvider(service, "https://accounts.google.com");
    return runs(() => setProvider(service, null));
  },

  async "a certificate that a worker uses ends in less than three weeks"(production) {
    const { stdout } = openssl([
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "-"],
      ...["-subj", "/CN=signs profiles", "-days", "20"],
    ]);
    const child = await production.replace("worker", {
      REALMPASS_PROFILE_SIGNING_CERTIFICATE: pemIn(stdout, "CERTIFICATE"),
      REALMPASS_PROFILE_SIGNING_KEY: pemIn(stdout, "PRIVATE KEY"),
    });
    return runs(async () => {
      await production.stop(child);
      await production.start("worker");
    });
  },

  async "an issuing CA ends before new profiles would"({ service: { owner } }) {
    const [before] = await owner.query<{ notAfter: Date }>(sql`select not_after as "notAfter" from issuers`);
    const set = (at: Date) =>
      owner.transaction(async (tx) => {
        await tx.query(sql`set local session_replication_role = replica`);
        await tx.query(sql`update issuers set not_after = ${at}`);
      });
    await set(new Date(systemClock.now().getTime() + 30 * 86_400_000));
    return runs(() => set(before!.notAfter));
  },
};

/** A session of another program, such as a report. */
async function openSession({ databaseUrl }: Production["service"]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "report" });
  await client.connect();
  return client;
}

const setProvider = ({ owner }: Production["service"], issuer: string | null) =>
  owner.query<{ name: string }>(sql`
    update realms
       set upstream_issuer = ${issuer}, upstream_client_id = ${issuer === null ? null : "realmpass"}
    returning name
  `);

/**
 * Allows for slow checks: each takes seconds on a busy machine, and a full disk stays in the findings for half a
 * minute.
 */
const patience = { withinMs: 120_000, everyMs: 250 };

describe("each mistake is reported", () => {
  let production: Production;
  let redis: BreakableRedis;
  let idle: pg.Client;
  let begun: Scrape;
  let healthy: Set<string>;

  beforeAll(async () => {
    for (const tool of ["faketime", "promtool"]) requireTool(tool);
    redis = await startBreakableRedis();
    production = await startProduction(redis.url);
    const { service } = production;
    idle = await openSession(service);
    await idle.query("begin");
    begun = await scrape(production.targets);
    await eventually(async () => {
      expect(await status()).toBe("ok");
    });
    await service.owner.query(sql`
      insert into users (realm_id, pairwise_id, roles, created_at)
      select ${service.realmId}::bigint, 'administrator ' || number, '{administrator}', now() from generate_series(1, 2) number
    `);
    healthy = new Set((await findings()).keys());
  }, 120_000);
  afterAll(async () => {
    await idle.end();
    await redis.stop();
  });

  async function readyz(): Promise<string> {
    const { status: code, body } = await production.service.call("GET", "/readyz");
    const lacks = (body["fields"] as { path: string }[] | undefined)?.map(({ path }) => path) ?? [];
    return [String(code), ...lacks].join(" ");
  }

  async function status(): Promise<string> {
    const { body } = await production.service.call("GET", "/status");
    const checks = (body.data as { checks: { name: string; state: string }[] } | undefined)?.checks;
    if (checks === undefined) {
      return `fail: ${(body["fields"] as { path: string }[]).map(({ path }) => path).join(", ")}`;
    }
    const warned = checks.filter(({ state }) => state === "warn").map(({ name }) => name);
    return warned.length === 0 ? "ok" : `warn: ${warned.join(", ")}`;
  }

  /** Returns doctor's findings without names of machines and realms. Each finding has a unique key. */
  async function findings(): Promise<Map<string, string>> {
    const checks = await askDoctor(production.doctor);
    return new Map(
      checks
        .filter(({ status }) => status !== "ok")
        .map(({ status, name, message }) => {
          const [kind = "", of = ""] = name.split(" ");
          return [`${name} ${message.split(" ")[0] ?? ""}`, `${status}: ${kind}${kind === "process" ? ` ${of}` : ""}`];
        }),
    );
  }

  const doctor = async (): Promise<string> => {
    const found = [...(await findings())].filter(([finding]) => !healthy.has(finding)).map(([, text]) => text);
    return found.length === 0 ? "ok" : [...new Set(found)].join(", ");
  };

  /** Returns how often each event was logged. */
  async function events(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const [, event = ""] of (await production.service.logs()).matchAll(/"event":"([^"]+)"/g)) {
      counts.set(event, (counts.get(event) ?? 0) + 1);
    }
    return counts;
  }

  test("and has a row in docs/troubleshooting.md, which lists no other mistakes", () => {
    expect([...table.keys()].sort()).toEqual(Object.keys(mistakes).sort());
  });

  test("before a user notices the mistake", () => {
    const isGreen = ({ readyz, status, doctor, alerts }: Shown): boolean =>
      [readyz, status, doctor, alerts].join() === "200,ok,ok,-";
    const unnoticed = [...table].filter(([, shown]) => isGreen(shown) || shown.first === "users");
    expect(unnoticed.map(([mistake]) => mistake)).toEqual([]);
  });

  test("control: without a mistake doctor fails only for the test's Postgres, which does not wait for its disk", async () => {
    expect([...(await findings()).values()].filter((text) => text.startsWith("fail"))).toEqual(
      [...healthy].filter((finding) => finding.startsWith("postgres-settings")).map(() => "fail: postgres-settings"),
    );
  });

  test("control: no alert fires without a mistake, and exactly one fires for a skewed clock", async () => {
    const now = await scrape(production.targets);
    expect(await alertsOf(begun, now)).toEqual({ soon: [], inAll: [] });
    const madeUp = new Map(samplesOf('realmpass_clock_skew_seconds 3\nrealmpass_status{check="audit"} 1', 'job="x"'));
    const series = new Map([...now.series, ...madeUp]);
    expect(await alertsOf(begun, { ...now, series })).toEqual({
      soon: ["RealmpassClockSkewed"],
      inAll: ["RealmpassClockSkewed"],
    });
  });

  test.each(Object.entries(mistakes))(
    "%s",
    async (name, make) => {
      const expected = table.get(name)!;
      const [before, scraped] = await Promise.all([events(), scrape(production.targets)]);
      const { process, undo } = await make(production, redis);
      try {
        await eventually(async () => {
          const [isReady, well, found, now] = await Promise.all([readyz(), status(), doctor(), events()]);
          const fresh = [...now.keys()].filter((event) => (now.get(event) ?? 0) > (before.get(event) ?? 0));
          const log = expected.log === "-" || fresh.includes(expected.log) ? expected.log : fresh.join(", ");
          const shown = { process, readyz: isReady, status: well, doctor: found, log };
          expect({ ...expected, ...shown }).toEqual(expected);
          const raised = await alertsOf(scraped, await scrape(production.targets));
          const alerts = raised.inAll.map((alert) => alert.replace("Realmpass", "")).join(", ") || "-";
          const all = { ...shown, alerts };
          expect({ ...all, first: firstToNotice(all, raised) }).toEqual(expected);
        }, patience);
      } finally {
        await undo();
      }
      await eventually(async () => {
        expect([await readyz(), await status(), await doctor()]).toEqual(["200", "ok", "ok"]);
      }, patience);
    },
    300_000,
  );
});
