import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openQueuePool } from "../../../../db/client.ts";
import { migrations } from "../../../../db/migrations/index.ts";
import { migrateAll } from "../../../../operator/migrate/migrate.ts";
import { createLog } from "../../../../runtime/log.ts";
import { openQueues } from "../../../../runtime/queue/queues.ts";

const server = (): string => process.env["TEST_DATABASE_URL"] ?? "";
const name = `test_${randomBytes(8).toString("hex")}`;
let url: string;

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server() });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

beforeAll(async () => {
  await administer(`create database ${name}`);
  url = Object.assign(new URL(server()), { pathname: `/${name}` }).href;
});
afterAll(() => administer(`drop database if exists ${name} with (force)`));

test("several processes can migrate an empty database at the same time, and each step runs once", async () => {
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => migrateAll(url)));

  expect(outcomes.flatMap((outcome) => outcome.migrations)).toEqual(migrations.map(({ name: step }) => step));
  expect(new Set(outcomes.map((outcome) => "queueSchemaVersion" in outcome && outcome.queueSchemaVersion)).size).toBe(
    1,
  );
});

test("migrating again changes nothing", async () => {
  expect(await migrateAll(url)).toMatchObject({ migrations: [], grants: { granted: [], revoked: [] } });
});

test("the queues can be reached after a migration", async () => {
  const pool = openQueuePool({ url, connectionsMax: 2, applicationName: "realmpass test" });
  const queues = openQueues({ kind: "postgres", pool }, createLog({ process: "test", level: "silent" }));
  try {
    await expect(queues.ping()).resolves.toBeUndefined();
  } finally {
    await queues.close();
    await pool.end();
  }
});
