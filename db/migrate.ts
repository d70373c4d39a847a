import { setTimeout as pause } from "node:timers/promises";
import knex, { type Knex } from "knex";
import pg from "pg";
import { onSession } from "./client.ts";
import { applyGrants, findMissingRoles, type GrantChanges } from "./grants.ts";
import { ownerRole } from "./logins.ts";
import { migrations } from "./migrations/index.ts";
import type { Migration } from "./migrations/migration.ts";
import { MigrationFailed, RolesMissing } from "./migration-failures.ts";
import { DatabaseUnavailable, isOutage } from "./outage.ts";

/** Any number that no other program on the same database is likely to lock. */
const migrationLock = 7_246_711;

const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: ({ name }) => name,
  getMigration: ({ name, up, transaction }) =>
    Promise.resolve({
      ...(transaction === false && { config: { transaction } }),
      // To knex a question mark is a place for a value; migrations have none.
      up: async (db) => {
        if (transaction === false && (await isDone(db, up))) return;
        await db.raw(up.replaceAll("?", "\\?")).catch((error: unknown) => {
          throw isOutage(error) ? error : failureOf(name, up, error);
        });
      },
      down: () => Promise.reject(new Error("migrations only go forward")),
    }),
};

/** Whether an index that is made concurrently is there, from a try that died before that was recorded. What it left half-made is dropped. */
async function isDone(db: Knex, statement: string): Promise<boolean> {
  const [, index] = /^create (?:unique )?index concurrently (\w+) on /.exec(statement) ?? [];
  if (index === undefined) throw new Error(`only an index is made without a transaction, not: ${statement}`);
  const { rows } = await db.raw<{ rows: { valid: boolean }[] }>(
    "select indisvalid as valid from pg_index where indexrelid = to_regclass(?)",
    [`public.${index}`],
  );
  if (rows[0]?.valid === false) await db.raw(`drop index concurrently public.${index}`);
  return rows[0]?.valid === true;
}

/** Knex puts the statement before the message. */
function failureOf(migration: string, statement: string, error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const message = error.message.startsWith(statement) ? error.message.slice(statement.length) : error.message;
  return new MigrationFailed(migration, message.replace(/^ - /, ""), { sqlState: error.code ?? "", cause: error });
}

const silent = { warn: nothing, error: nothing, debug: nothing, deprecate: nothing };
function nothing(): void {
  // Knex prints statements; what it throws says what is wrong.
}

/**
 * Brings the database up to date, as the login of `url` or, where the database is
 * `realmpass_owner`'s, as that, does what else the caller has to do to it, and then, in one
 * transaction, makes the rights of the roles what `grants.ts` lists. Any number of processes may call this at once: one
 * works, the others wait for it. Answers the names of the migrations that were run.
 */
export async function migrateDatabase<Result>(
  url: string,
  { also }: { also: (session: pg.Client) => Promise<Result> },
): Promise<{ migrations: string[]; also: Result; grants: GrantChanges }> {
  const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  const db = knex({
    client: "pg",
    connection: url,
    pool: { min: 0, max: 2, afterCreate: becomeOwner },
    migrations: { migrationSource },
    log: silent,
  });
  try {
    await session.connect();
    await session.query(takeOnOwner);
    await lock(session);
    const missing = await findMissingRoles(onSession(session));
    if (missing.length > 0) throw new RolesMissing(missing);
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

const lockPauseMs = 200;

/** Asks again and again: a statement that waits has a snapshot, and an index that is made concurrently waits for every older one. */
async function lock(session: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await session.query<{ held: boolean }>("select pg_try_advisory_lock($1) as held", [migrationLock]);
    if (rows[0]?.held === true) return;
    await pause(lockPauseMs);
  }
}

/** The newest migration that this version has. */
export const newestMigration = migrations.at(-1)?.name ?? "";

/** What one login makes another could not change: all of it is the owner's, whatever superuser migrates. */
const takeOnOwner = `
  do $body$
  begin
    if (select pg_get_userbyid(datdba) from pg_database where datname = current_database()) = '${ownerRole}' then
      set role ${ownerRole};
    end if;
  end
  $body$`;

const becomeOwner = (session: pg.Client, done: (error: Error | null, session: pg.Client) => void): void => {
  session.query(takeOnOwner).then(
    () => {
      done(null, session);
    },
    (error: unknown) => {
      done(error as Error, session);
    },
  );
};

/** Names of migrations that this version has and the database has not. */
export function pendingMigrations(done: readonly string[]): string[] {
  return migrations.map(({ name }) => name).filter((name) => !done.includes(name));
}
