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
      // Without this knex runs it in a transaction.
      ...(transaction === false && { config: { transaction } }),
      // To knex a question mark is a place for a value; migrations have none.
      up: async (db) => {
        if (transaction === false) await dropUnfinishedIndexes(db);
        await db.raw(up.replaceAll("?", "\\?")).catch((error: unknown) => {
          throw isOutage(error) ? error : failureOf(name, up, error);
        });
      },
      down: () => Promise.reject(new Error("migrations only go forward")),
    }),
};

/** An index that was being built when its migration was cut off stays as one that is written and never read. */
async function dropUnfinishedIndexes(db: Knex): Promise<void> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select i.indexrelid::regclass::text as name
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where not i.indisvalid and c.relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) await db.raw(`drop index concurrently if exists ${name}`);
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
    await takeMigrationLock(session);
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

/**
 * Waits for the lock by asking again and again: to `create index concurrently`, which waits for every statement that is
 * under way, one that waited for the lock itself would be in the way forever.
 */
async function takeMigrationLock(session: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await session.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [
      migrationLock,
    ]);
    if (rows[0]?.taken === true) return;
    await pause(100);
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
