import knex, { type Knex } from "knex";
import pg from "pg";
import { onSession } from "./client.ts";
import { applyGrants, type GrantChanges } from "./grants.ts";
import { migrations } from "./migrations/index.ts";
import type { Migration } from "./migrations/migration.ts";
import { DatabaseUnavailable, isOutage } from "./outage.ts";

/** Any number that no other program on the same database is likely to lock. */
const migrationLock = 7_246_711;

const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: ({ name }) => name,
  getMigration: ({ up }) =>
    Promise.resolve({
      // To knex a question mark is a place for a value; migrations have none.
      up: (db) => db.raw(up.replaceAll("?", "\\?")),
      down: () => Promise.reject(new Error("migrations only go forward")),
    }),
};

/**
 * Brings the database up to date, as the login of `url`, does what else the caller has to do to it, and then, in one
 * transaction, makes the rights of the roles what `grants.ts` lists. Any number of processes may call this at once: one
 * works, the others wait for it. Answers the names of the migrations that were run.
 */
export async function migrateDatabase<Result>(
  url: string,
  { also }: { also: (session: pg.Client) => Promise<Result> },
): Promise<{ migrations: string[]; also: Result; grants: GrantChanges }> {
  const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  const db = knex({ client: "pg", connection: url, pool: { min: 0, max: 2 }, migrations: { migrationSource } });
  try {
    await session.connect();
    await session.query("select pg_advisory_lock($1)", [migrationLock]);
    // knex's own lock is a row that a killed process leaves behind; the advisory lock ends with its connection.
    await db.migrate.forceFreeMigrationsLock();
    const [, names] = (await db.migrate.latest()) as [number, string[]];
    const done = await also(session);
    await session.query("begin");
    const grants = await applyGrants(onSession(session));
    await session.query("commit");
    return { migrations: names, also: done, grants };
  } catch (error) {
    throw isOutage(error) ? new DatabaseUnavailable(error) : error;
  } finally {
    await db.destroy();
    await session.end().catch(() => undefined);
  }
}

/** The newest migration that this version has. */
export const newestMigration = migrations.at(-1)?.name ?? "";

/** Names of migrations that this version has and the database has not. */
export function pendingMigrations(done: readonly string[]): string[] {
  return migrations.map(({ name }) => name).filter((name) => !done.includes(name));
}
