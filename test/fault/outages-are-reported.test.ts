import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql, verbatim } from "../../db/sql.ts";
import { systemClock } from "../../runtime/clock.ts";
import { generateOutputKeyPair } from "../../runtime/keys/sealed-output.ts";
import { drawSecret } from "../../runtime/keys/data-directory.ts";
import { anHourAhead } from "../support/run/faketime.ts";
import { eventually } from "../support/run/eventually.ts";
import { ended, freePort } from "../support/run/services.ts";
import { requireTool } from "../support/run/tools.ts";
import { givenUser, testPassphrase } from "../support/given/issuing.ts";
import { startBreakableRedis, type BreakableRedis } from "../support/service/fault-services.ts";
import { openssl } from "../support/pki/openssl.ts";
import { startPgBouncer } from "../support/service/pgbouncer.ts";
import { askDoctor } from "../support/service/operator.ts";
import { startService, type RunningService } from "../support/service/service.ts";

/** The visible signs of a mistake, as a row of docs/troubleshooting.md lists them. */
interface Shown {
  process: string;
  readyz: string;
  status: string;
  doctor: string;
  log: string;
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
    .map(([, mistake, process, readyz, status, doctor, log]) => [
      mistake!,
      { process, readyz, status, doctor, log } as Shown,
    ]),
);

/** Makes the mistake, and returns the state of the affected process and a function that undoes it. */
type Mistake = (
  service: RunningService,
  redis: BreakableRedis,
) => Promise<{ process: string; undo: () => Promise<unknown> }>;

const runs = (undo: () => Promise<unknown>) => ({ process: "runs", undo });

/** Returns the exit code of a process that is to end by itself. */
async function endsWith(started: Promise<unknown>, undo: () => Promise<unknown> = () => Promise.resolve()) {
  const message = await started.then(
    () => "it started",
    (error: unknown) => (error as Error).message,
  );
  const code = /exit code (\d+)/.exec(message)?.[1] ?? message;
  return { process: `ends with ${code}`, undo };
}

const anotherPassphrase = { REALMPASS_ISSUER_KEY_PASSPHRASE: "not the passphrase of these issuers" };

async function stopAll(service: RunningService, kind: "workers" | "responders"): Promise<void> {
  for (const child of service[kind].splice(0)) await ended(child);
}

const mistakes: Record<string, Mistake> = {
  "one of two workers has another passphrase": (service) => endsWith(service.startWorker(anotherPassphrase)),

  async "every worker has another passphrase"(service) {
    await stopAll(service, "workers");
    return endsWith(service.startWorker(anotherPassphrase), () => service.startWorker());
  },

  "a worker has another output key": (service) =>
    endsWith(service.startWorker({ REALMPASS_OUTPUT_PUBLIC_KEY: generateOutputKeyPair().publicJwk })),

  "an api has another master key": (service) =>
    endsWith(service.startApi({ REALMPASS_MASTER_KEY: drawSecret.masterKey() })),

  "the database refuses the password": (service) => {
    const url = Object.assign(new URL(service.databaseUrl), { password: "wrong" }).href;
    return endsWith(service.startWorker({ DATABASE_URL: url }));
  },

  async "a login lacks its role"(service) {
    const login = `nobody_${process.pid}`;
    await service.owner.query(verbatim(`create role ${login} login password 'x'`));
    const url = Object.assign(new URL(service.databaseUrl), { username: login, password: "x" }).href;
    return endsWith(service.startWorker({ DATABASE_URL: url }), () =>
      service.owner.query(verbatim(`drop role ${login}`)),
    );
  },

  async "the login of an api that runs lost its role"(service) {
    const login = `dismissed_${process.pid}`;
    const { owner } = service;
    await owner.query(verbatim(`create role ${login} login password 'x' in role realmpass_api, realmpass_queue`));
    const url = Object.assign(new URL(service.databaseUrl), { username: login, password: "x" }).href;
    const child = await service.startApi({ DATABASE_URL: url });
    await owner.query(verbatim(`revoke realmpass_api, realmpass_queue from ${login}`));
    const endSessions = sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${login}`;
    await owner.query(endSessions);
    return runs(async () => {
      await owner.query(verbatim(`grant realmpass_api, realmpass_queue to ${login}`));
      await eventually(async () => {
        expect(await service.call("GET", "/readyz")).toMatchObject({ status: 200 });
      });
      await ended(child);
      service.api.splice(service.api.indexOf(child), 1);
      await service.startApi();
      await owner.query(endSessions);
      await owner.query(verbatim(`revoke realmpass_api, realmpass_queue from ${login}`));
      await owner.query(verbatim(`drop role ${login}`));
    });
  },

  async "a session holds a lock on a table"(service) {
    const [holder, waiter] = await Promise.all([openSession(service), openSession(service)]);
    await holder.query("begin; lock table users in access exclusive mode");
    const waiting = waiter.query("select count(*) from users");
    return runs(async () => {
      await holder.end();
      await waiting;
      await waiter.end();
    });
  },

  async "PgBouncer lies before PostgreSQL"(service) {
    return endsWith(service.startWorker({ DATABASE_URL: await startPgBouncer(service.databaseUrl) }));
  },

  async "PgBouncer drops what it does not know"(service) {
    const url = await startPgBouncer(service.databaseUrl, ["options", "statement_timeout"]);
    return endsWith(service.startWorker({ DATABASE_URL: url }));
  },

  async "a migration has not been run"(service) {
    const { owner, workers } = service;
    const [last] = await owner.query<{ name: string }>(sql`
      delete from knex_migrations where id = (select max(id) from knex_migrations) returning name
    `);
    const waiting = service.startWorker();
    return {
      process: "waits",
      async undo() {
        await owner.query(
          sql`insert into knex_migrations (name, batch, migration_time) values (${last!.name}, 1, now())`,
        );
        const begun = await waiting;
        workers.splice(workers.indexOf(begun), 1);
        await ended(begun);
      },
    };
  },

  async "the database is of a newer version"({ owner }) {
    await owner.query(
      sql`insert into knex_migrations (name, batch, migration_time) values ('29990101-0000-newer', 1, now())`,
    );
    return runs(() => owner.query(sql`delete from knex_migrations where name = '29990101-0000-newer'`));
  },

  async "the database is too new for this version"(service) {
    await service.owner.query(sql`update installation set minimum_migration = '29990101-0000-newer'`);
    return endsWith(service.startWorker(), () =>
      service.owner.query(sql`update installation set minimum_migration = null`),
    );
  },

  async "the clock of every worker is wrong"(service) {
    await stopAll(service, "workers");
    await service.startWorker(anHourAhead());
    return runs(async () => {
      await stopAll(service, "workers");
      await service.startWorker();
    });
  },

  async "the clock of an api is wrong"(service) {
    const child = await service.startApi(anHourAhead());
    return runs(async () => {
      await ended(child);
      service.api.splice(service.api.indexOf(child), 1);
      await service.startApi();
    });
  },

  async "the disk of PostgreSQL is full"(service) {
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
    // People keep trying.
    const timer = setInterval(() => void create().catch(() => undefined), 5_000);
    return runs(async () => {
      clearInterval(timer);
      await owner.query(sql`drop function disk_is_full() cascade`);
    });
  },

  async "the database is read-only"({ owner }) {
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

  async "Redis is a Redis Cluster"(service) {
    const cluster = await startBreakableRedis({ isCluster: true });
    return endsWith(service.startWorker({ REDIS_URL: cluster.url }), () => cluster.stop());
  },

  async "no worker runs"(service) {
    await stopAll(service, "workers");
    return runs(() => service.startWorker());
  },

  async "a worker was killed, and another one runs"(service) {
    const child = await service.startWorker();
    service.workers.splice(service.workers.indexOf(child), 1);
    await ended(child, "SIGKILL");
    return runs(() => service.owner.query(sql`delete from processes where pid = ${child.pid!}`));
  },

  async "no responder runs"(service) {
    await stopAll(service, "responders");
    return runs(() => service.startResponder());
  },

  async "a CRL has ended"(service) {
    await stopAll(service, "workers");
    const { owner } = service;
    await owner.transaction(async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`);
      await tx.query(
        sql`update crls set this_update = now() - interval '3 days', next_update = now() - interval '1 day'`,
      );
    });
    return runs(() => service.startWorker());
  },

  async "the identity provider is away"(service) {
    const [realm] = await setProvider(service, `http://127.0.0.1:${await freePort()}`);
    const page = await fetch(`http://127.0.0.1:${service.apiPort}/login/upstream?realm=${realm!.name}`);
    expect(page.status).toBe(503);
    return runs(() => setProvider(service, null));
  },

  async "anybody can have an account at the identity provider"(service) {
    await setProvider(service, "https://accounts.google.com");
    return runs(() => setProvider(service, null));
  },

  async "a certificate that a worker uses ends in less than three weeks"(service) {
    const { stdout } = openssl(
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "-"].concat([
        "-subj",
        "/CN=signs profiles",
        "-days",
        "20",
      ]),
    );
    const of = (name: string): string => new RegExp(`-----BEGIN ${name}.+END ${name}-----`, "s").exec(stdout)![0];
    const child = await service.startWorker({
      REALMPASS_PROFILE_SIGNING_CERTIFICATE: of("CERTIFICATE"),
      REALMPASS_PROFILE_SIGNING_KEY: of("PRIVATE KEY"),
    });
    return runs(async () => {
      service.workers.splice(service.workers.indexOf(child), 1);
      await ended(child);
    });
  },

  async "an issuing CA ends before new profiles would"({ owner }) {
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
async function openSession({ databaseUrl }: RunningService): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "report" });
  await client.connect();
  return client;
}

const setProvider = ({ owner }: RunningService, issuer: string | null) =>
  owner.query<{ name: string }>(sql`
    update realms
       set upstream_issuer = ${issuer}, upstream_client_id = ${issuer === null ? null : "realmpass"}
    returning name
  `);

/** Each look costs seconds on a busy machine, and a full disk stays in the findings for half a minute. */
const patience = { withinMs: 120_000, everyMs: 250 };

describe("each mistake is reported", () => {
  let service: RunningService;
  let redis: BreakableRedis;
  let healthy: Set<string>;

  beforeAll(async () => {
    requireTool("faketime");
    redis = await startBreakableRedis();
    service = await startService({ kind: "redis", redisUrl: redis.url, responder: true });
    await eventually(async () => {
      expect(await status()).toBe("ok");
    });
    await service.owner.query(sql`
      insert into users (realm_id, pairwise_id, roles, created_at)
      select ${service.realmId}::bigint, 'administrator ' || number, '{administrator}', now() from generate_series(1, 2) number
    `);
    healthy = new Set((await findings()).keys());
  }, 120_000);
  afterAll(() => redis.stop());

  async function readyz(): Promise<string> {
    const { status: code, body } = await service.call("GET", "/readyz");
    const lacks = (body["fields"] as { path: string }[] | undefined)?.map(({ path }) => path) ?? [];
    return [String(code), ...lacks].join(" ");
  }

  async function status(): Promise<string> {
    const { body } = await service.call("GET", "/status");
    const checks = (body.data as { checks: { name: string; state: string }[] } | undefined)?.checks;
    if (checks === undefined) {
      return `fail: ${(body["fields"] as { path: string }[]).map(({ path }) => path).join(", ")}`;
    }
    const warned = checks.filter(({ state }) => state === "warn").map(({ name }) => name);
    return warned.length === 0 ? "ok" : `warn: ${warned.join(", ")}`;
  }

  /**
   * Returns doctor's findings, without names of machines and realms, by all that distinguishes one finding from
   * another.
   */
  async function findings(): Promise<Map<string, string>> {
    const checks = await askDoctor({
      DATABASE_URL: service.databaseUrl,
      REDIS_URL: redis.url,
      REALMPASS_DATA_DIRECTORY: service.dataDirectory,
      REALMPASS_ISSUER_KEY_PASSPHRASE: testPassphrase,
      REALMPASS_PUBLICATION_URL: `http://127.0.0.1:${service.apiPort}`,
    });
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
    for (const [, event = ""] of (await service.logs()).matchAll(/"event":"([^"]+)"/g)) {
      counts.set(event, (counts.get(event) ?? 0) + 1);
    }
    return counts;
  }

  test("is in docs/troubleshooting.md for each mistake", () => {
    expect([...table.keys()].sort()).toEqual(Object.keys(mistakes).sort());
  });

  test("shows no failure without a mistake, except that the test's Postgres does not wait for its disk", async () => {
    expect([...(await findings()).values()].filter((text) => text.startsWith("fail"))).toEqual(
      [...healthy].filter((finding) => finding.startsWith("postgres-settings")).map(() => "fail: postgres-settings"),
    );
  });

  test.each(Object.entries(mistakes))(
    "%s",
    async (name, make) => {
      const expected = table.get(name)!;
      const before = await events();
      const { process, undo } = await make(service, redis);
      try {
        await eventually(async () => {
          const [isReady, well, found, now] = await Promise.all([readyz(), status(), doctor(), events()]);
          const fresh = [...now.keys()].filter((event) => (now.get(event) ?? 0) > (before.get(event) ?? 0));
          const log = expected.log === "-" || fresh.includes(expected.log) ? expected.log : fresh.join(", ");
          expect({ process, readyz: isReady, status: well, doctor: found, log }).toEqual(expected);
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
