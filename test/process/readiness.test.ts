import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { sql } from "../../db/sql.ts";
import { processKinds, type ProcessKind } from "../../domain/process.ts";
import { testPassphrase } from "../support/given/issuing.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { eventually } from "../support/run/eventually.ts";
import { ended, freePort } from "../support/run/services.ts";
import { startTcpProxy } from "../support/run/tcp-proxy.ts";
import { startService, type RunningService } from "../support/service/service.ts";

interface Look {
  status: number;
  retryAfter: string | null;
  body: { error?: string; data?: unknown; fields?: { path: string; reason: string }[] };
}

async function look(port: number, path: "/healthz" | "/readyz"): Promise<Look> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return {
    status: answer.status,
    retryAfter: answer.headers.get("retry-after"),
    body: (await answer.json()) as Look["body"],
  };
}

const failing = ({ body }: Look): string[] => (body.fields ?? []).map(({ path }) => path);
const ready = {
  database: { ok: true, ms: expect.any(Number) as number },
  schema: { ok: true },
  keys: { ok: true },
  clock: { ok: true },
};

let service: RunningService;
/** The metrics port of each process. */
const ports = new Map<ProcessKind, number>();

const start = { api: "startApi", worker: "startWorker", responder: "startResponder" } as const;

beforeAll(async () => {
  for (const kind of processKinds) ports.set(kind, await freePort());
  service = await startService({ kind: "postgres", worker: false, atEnd: atEndOfFile });
  for (const kind of processKinds) await service[start[kind]]({ REALMPASS_METRICS_PORT: String(ports.get(kind)) });
});

const portOf = (kind: ProcessKind): number => ports.get(kind) ?? 0;

describe.each(processKinds)("the metrics port of the %s", (kind) => {
  test("reports that the process is alive, and that it can serve", async () => {
    expect(await look(portOf(kind), "/healthz")).toMatchObject({
      status: 200,
      body: { result: "ok", code: 200, data: { status: "live" } },
    });
    expect(await look(portOf(kind), "/readyz")).toMatchObject({
      status: 200,
      body: { result: "ok", code: 200, data: ready },
    });
  });

  test("reports that it cannot serve while a migration is missing", async () => {
    await service.owner.query(sql`update knex_migrations set name = 'x' || name where id = 1`);
    try {
      const answer = await look(portOf(kind), "/readyz");
      expect(answer).toMatchObject({ status: 503, retryAfter: "1", body: { error: "unavailable" } });
      expect(failing(answer)).toEqual(["schema"]);
    } finally {
      await service.owner.query(sql`update knex_migrations set name = substr(name, 2) where id = 1`);
    }
    expect(await look(portOf(kind), "/readyz")).toMatchObject({ status: 200 });
  });
});

test("the processes export each metric that an alert uses", async () => {
  const rules = readFileSync("deploy/prometheus/rules.yml", "utf8");
  const asked = new Set([...rules.matchAll(/realmpass_\w+/g)].map(([name]) => name.replace(/_(?:bucket|count)$/, "")));
  const texts = await Promise.all(
    processKinds.map(async (kind) => (await fetch(`http://127.0.0.1:${portOf(kind)}/metrics`)).text()),
  );
  const known = new Set([...texts.join("\n").matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  // Exported only if a certificate for TLS or for signing profiles is configured.
  known.add("realmpass_certificate_not_after_seconds");
  // Exported only by a worker with REALMPASS_BACKUP_DIRECTORY.
  known.add("realmpass_backup_seconds");
  expect([...asked].filter((name) => !known.has(name))).toEqual([]);
  expect(asked.size).toBeGreaterThan(10);
  // docs/health.md has a row for each metric, and no other row.
  const page = readFileSync("docs/health.md", "utf8");
  const explained = [...page.matchAll(/^\| (`realmpass_[^|]*?) *\|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(realmpass_\w+)`/g)].map(([, name]) => name!),
  );
  const ofNode = /^realmpass_(?:process|nodejs)_/;
  expect(explained.sort()).toEqual([...known].filter((name) => !ofNode.test(name!)).sort());
  const api = texts[0];
  expect(api).toMatch(/realmpass_queue_up 1/);
  expect(api).toMatch(/realmpass_queue_tasks\{queue="issuance",state="waiting"\} 0/);
  expect(api).toMatch(/realmpass_oldest_seconds\{what="responder_request"\} \d/);
  expect(api).toMatch(/realmpass_certificates_expiring\{kind="infrastructure",days="30"\} 0/);
  expect(api).toMatch(/realmpass_audit_exported_seconds\{realm="\d+"\} \d+/);
  expect(api).toMatch(/realmpass_sign_ins_total\{way="guest",outcome="ok"\} 0/);
  expect(api).toMatch(/realmpass_ocsp_proxy_total\{outcome="answered"\} 0/);
  expect(texts[1]).toMatch(/realmpass_tasks_total\{queue="bulk-job-rows",outcome="done"\} 0/);
  expect(texts[0]).toMatch(/realmpass_processes\{kind="worker",state="alive"\} 1/);
  expect(texts[0]).toMatch(/realmpass_oldest_seconds\{what="issuance"\} 0/);
  expect(texts[0]).toMatch(/realmpass_status\{check="database"\} 0/);
  expect(texts[0]).toMatch(/realmpass_issuer_not_after_seconds\{issuer="\d+",state="issuing"\} \d+/);
  for (const [index, kind] of processKinds.entries()) {
    expect(texts[index]).toMatch(new RegExp(`realmpass_build_info\\{process="${kind}",version="[^"]+",commit=""\\} 1`));
    expect(texts[index]).toMatch(/realmpass_database_connections\{state="idle"\} \d+/);
    expect(texts[index]).toMatch(/realmpass_problem\{code="clock_skewed"\} 0/);
    expect(texts[index]).toMatch(/realmpass_migrations_pending 0/);
  }
});

test("a process stays ready if the database has unknown migrations", async () => {
  await service.owner.query(sql`
    insert into knex_migrations (name, batch, migration_time) values ('99990101-0000-later', 1, now())
  `);
  onTestFinished(async () => {
    await service.owner.query(sql`delete from knex_migrations where name = '99990101-0000-later'`);
  });
  for (const kind of processKinds) expect(await look(portOf(kind), "/readyz")).toMatchObject({ status: 200 });
});

test.each([
  ["api", "master", "REALMPASS_MASTER_KEY"],
  ["worker", "audit", "REALMPASS_AUDIT_KEY"],
] as const)(
  "the %s compares its %s key at each beat, and is unready if the installation has another key",
  async (kind, secret, variable) => {
    // Repeating the change undoes it.
    const change = () =>
      service.owner.query(sql`
        update installation_secrets
           set check_value = set_byte(check_value, 0, 255 - get_byte(check_value, 0))
         where kind = ${secret}
      `);

    await change();
    await eventually(async () => {
      const answer = await look(portOf(kind), "/readyz");
      expect(answer.status).toBe(503);
      expect(answer.body.fields).toEqual([{ path: "keys", reason: expect.stringContaining(variable) as string }]);
    });
    expect(await service.logs()).toContain(`"event":"secret.mismatch","variable":"${variable}"`);
    expect(await look(portOf("responder"), "/readyz")).toMatchObject({ status: 200 });

    await change();
    await eventually(async () => {
      expect(await look(portOf(kind), "/readyz")).toMatchObject({ status: 200 });
    });
  },
);

test.each(processKinds)(
  "the %s is alive while it waits for Postgres at its start, and ready once Postgres is reachable",
  async (kind) => {
    const database = new URL(service.databaseUrl);
    const proxy = await startTcpProxy({ host: database.hostname, port: Number(database.port) });
    await proxy.cut();
    const metricsPort = await freePort();
    const child = fork(`dist/${kind}/main.js`, {
      env: {
        PATH: process.env["PATH"],
        DATABASE_URL: Object.assign(new URL(database), { hostname: "127.0.0.1", port: String(proxy.port) }).href,
        REALMPASS_DATA_DIRECTORY: service.dataDirectory,
        REALMPASS_ISSUER_KEY_PASSPHRASE: testPassphrase,
        REALMPASS_METRICS_PORT: String(metricsPort),
        REALMPASS_RSA_KEY_POOL: "0",
        PORT: "0",
        REALMPASS_OCSP_PORT: "0",
      },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    onTestFinished(() => ended(child));
    await eventually(async () => {
      expect(await look(metricsPort, "/healthz")).toMatchObject({ status: 200 });
    });
    const answer = await look(metricsPort, "/readyz");
    expect(answer).toMatchObject({ status: 503, retryAfter: "1" });
    expect(failing(answer)).toContain("database");
    expect(child.exitCode).toBeNull();

    await proxy.restore();
    await eventually(async () => {
      expect(await look(metricsPort, "/readyz")).toMatchObject({ status: 200, body: { data: ready } });
    });
  },
);
