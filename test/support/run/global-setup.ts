import pg from "pg";
import { migrateAll } from "../../../operator/migrate/migrate.ts";
import { prepareDataDirectory, startPostgres, startRedis, type Service } from "./services.ts";

/** The migrated database that every test file copies. */
export const templateDatabase = "realmpass_template";

let running: Service[] = [];

/**
 * Starts the services that tests need, once for all projects, and passes them to the test processes in the environment.
 */
export async function setup(): Promise<void> {
  if (process.env["TEST_TEMPLATE_URL"] !== undefined) return;
  // Without these handlers, Vite would end the process immediately and leave the services running.
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    process.removeAllListeners(signal);
    process.once(signal, () => void teardown().finally(() => process.exit(1)));
  }

  const prepared = await prepareDataDirectory();
  running.push(prepared);
  process.env["TEST_DATA_DIRECTORY"] = prepared.url;
  const postgres = await startPostgres();
  running.push(postgres);
  const template = new URL(postgres.url);
  template.pathname = `/${templateDatabase}`;
  await recreate(postgres.url, templateDatabase);
  await migrateAll(template.href);

  // If Redis is missing, the tests that need Redis report it.
  const redis = await startRedis();
  if (redis !== undefined) running.push(redis);

  process.env["TEST_DATABASE_URL"] = postgres.url;
  process.env["TEST_TEMPLATE_URL"] = template.href;
  if (redis !== undefined) process.env["TEST_REDIS_URL"] = redis.url;
}

export async function teardown(): Promise<void> {
  for (const service of running.reverse()) await service.stop();
  running = [];
}

async function recreate(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
    await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
