import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Database } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { processKinds, type ProcessKind } from "../../domain/process.ts";
import { givenIssuingRealm, testPassphrase } from "../support/given/issuing.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { cloneDatabase, openPatiently } from "../support/run/database.ts";
import { eventually } from "../support/run/eventually.ts";
import { ended, freePort } from "../support/run/services.ts";

let databaseUrl: string;
let owner: Database;
let data: string;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "realmpass-schema-wait-"));
  const clone = await cloneDatabase();
  databaseUrl = clone.url;
  owner = openPatiently({ url: clone.url, connectionsMax: 1 });
  await givenIssuingRealm(owner);
  atEndOfFile(async () => {
    await owner.close();
    await clone.drop();
    await rm(data, { recursive: true, force: true });
  });
});

interface Started {
  child: ChildProcess;
  metricsPort: number;
  /** The port of the api. */
  port: number;
  /** Resolves when the process has begun. */
  begun: Promise<unknown>;
  output: () => string;
}

async function start(kind: ProcessKind): Promise<Started> {
  const [metricsPort, port] = [await freePort(), await freePort()];
  const child = fork(`dist/${kind}/main.js`, {
    env: {
      PATH: process.env["PATH"],
      DATABASE_URL: databaseUrl,
      REALMPASS_DATA_DIRECTORY: data,
      REALMPASS_GENERATE_SECRETS: "1",
      REALMPASS_ISSUER_KEY_PASSPHRASE: testPassphrase,
      REALMPASS_METRICS_PORT: String(metricsPort),
      REALMPASS_RSA_KEY_POOL: "0",
      PORT: String(port),
      REALMPASS_OCSP_PORT: "0",
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  onTestFinished(() => ended(child));
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { child, metricsPort, port, begun: once(child, "message"), output: () => output };
}

async function ask(port: number, path: string, method = "GET") {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    redirect: "manual",
    ...(method === "POST" && { body: "x".repeat(100_000) }),
  });
  const body = (await answer.json()) as { error?: string; fields?: { path: string }[]; request_id?: string };
  return {
    status: answer.status,
    retryAfter: answer.headers.get("retry-after"),
    isIdentified: body.request_id !== undefined && body.request_id === answer.headers.get("x-request-id"),
    error: body.error,
    lacks: body.fields?.map((field) => field.path) ?? [],
  };
}

/** Counts the rows of each table. */
const rows = () =>
  owner.query(sql`
    select relname as table, query_to_xml(format('select count(*) from %I', relname), false, true, '')::text as count
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
     order by relname
  `);

/** Parts that the database can lack, each with functions that remove and restore the part. */
const lacks: Record<string, { take: () => Promise<unknown>; give: () => Promise<unknown> }> = {
  "a migration": {
    take: () =>
      owner.query(sql`update knex_migrations set name = 'x' || name where id = (select max(id) from knex_migrations)`),
    give: () => owner.query(sql`update knex_migrations set name = substr(name, 2) where name like 'x%'`),
  },
  "the rights, which `migrate` gives last": {
    take: () => owner.query(sql`update installation set migrated_to = '20261125-1100-before'`),
    give: () => owner.query(sql`update installation set migrated_to = '29990101-0000-later'`),
  },
};

describe.each(Object.entries(lacks))("a process started when the database lacks %s", (what, { take, give }) => {
  test.each(processKinds)(
    "waits as %s, reports that, writes nothing, and starts once the database is complete",
    async (kind) => {
      await take();
      onTestFinished(async () => {
        await give();
      });
      const before = await rows();
      const { metricsPort, port, begun, output } = await start(kind);
      await eventually(() => {
        expect(output()).toContain('"event":"schema.behind"');
      });
      expect(await ask(metricsPort, "/healthz")).toMatchObject({ status: 200 });
      const ready = await ask(metricsPort, "/readyz");
      expect(ready).toMatchObject({ status: 503, retryAfter: "1", error: "unavailable" });
      if (kind === "api") {
        expect(await ask(port, "/healthz")).toMatchObject({ status: 200 });
        for (const [path, method] of [
          ["/", "GET"],
          ["/api/realm", "GET"],
          ["/api/jobs/onboarding", "POST"],
          ["/crl/1.crl", "GET"],
          ["/status", "GET"],
        ] as const) {
          expect(await ask(port, path, method)).toMatchObject({ status: 503, retryAfter: "10", isIdentified: true });
        }
        expect(await ask(port, "/readyz")).toMatchObject({ status: 503, retryAfter: "1", lacks: ready.lacks });
      }
      if (what === "a migration") expect(ready.lacks).toContain("schema");
      expect(await rows()).toEqual(before);

      await give();
      await begun;
      await eventually(async () => {
        expect(await ask(metricsPort, "/readyz")).toMatchObject({ status: 200 });
        if (kind === "api") expect(await ask(port, "/readyz")).toMatchObject({ status: 200 });
      });
    },
  );
});

test.each(processKinds)(
  "a process older than the database, running as %s, exits with 78 and an explanation",
  async (kind) => {
    await owner.query(sql`update installation set minimum_migration = '29990101-0000-contracting'`);
    onTestFinished(async () => {
      await owner.query(sql`update installation set minimum_migration = null`);
    });
    const { child, output } = await start(kind);
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(78);
    const sentence =
      "this version has no migration 29990101-0000-contracting. Run the release that migrated the database";
    expect(output()).toMatch(new RegExp(`"event":"schema.ahead".*${sentence}`));
    expect(output()).toMatch(new RegExp(`"event":"process.failed","exitCode":78.*${sentence}`));
  },
);

test("a process of this version uses a database whose newest contracting migration it knows", async () => {
  const [known] = await owner.query<{ name: string }>(sql`select min(name) as name from knex_migrations`);
  await owner.query(sql`update installation set minimum_migration = ${known!.name}`);
  onTestFinished(async () => {
    await owner.query(sql`update installation set minimum_migration = null`);
  });
  const { begun } = await start("responder");
  await begun;
});
