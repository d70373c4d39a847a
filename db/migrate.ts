import { setTimeout as pause } from "node:timers/promises";
import knex, { type Knex } from "knex";
import pg from "pg";
import { connectSecondsOf } from "../runtime/config/server-url.ts";
import { within } from "../runtime/deadline.ts";
import { onSession, startUpOptions } from "./client.ts";
import { contentionStates } from "./contention.ts";
import { applyGrants, findMissingRoles, type GrantChanges } from "./grants.ts";
import { ownerRole } from "./logins.ts";
import { migrations } from "./migrations/index.ts";
import type { Migration } from "./migrations/migration.ts";
import { MigrationFailed, RolesMissing, SchemaAhead, SchemaForeign } from "./migration-failures.ts";
import { DatabaseUnavailable, isOutage } from "./outage.ts";
import * as installation from "./queries/upkeep/installation.ts";

/** The number of the advisory lock; other programs on the same database are unlikely to use it. */
const migrationLock = 7_246_711;

const sourceOf = (steps: readonly Migration[]): Knex.MigrationSource<Migration> => ({
  getMigrations: () => Promise.resolve([...steps]),
  getMigrationName: ({ name }) => name,
  getMigration: (step) => Promise.resolve(stepOf(step)),
});

/** Returns a migration in the form that knex runs. */
function stepOf({ name, up, transaction, before }: Migration): Knex.Migration & { config: { transaction: boolean } } {
  return {
    config: { transaction: transaction ?? true },
    async up(db) {
      try {
        if (transaction !== false) await db.raw(`set local lock_timeout = ${lockMsMax}`);
        else if (await isIndexMade(db, up)) return;
        else if (before !== undefined) await db.raw(before);
        // Knex reads a question mark as a placeholder; migrations contain no placeholders.
        await db.raw(up.replaceAll("?", "\\?"));
      } catch (error) {
        throw isOutage(error) ? error : failureOf(name, up, error);
      }
    },
    down: () => Promise.reject(new Error("migrations only go forward")),
  };
}

/**
 * Returns whether the index of a migration without a transaction already exists, because `migrate` ended before
 * recording the migration. Drops an unfinished index, which writes maintain but no query reads.
 */
async function isIndexMade(db: Knex, up: string): Promise<boolean> {
  const [, index] = /^\s*create (?:unique )?index concurrently (?:if not exists )?(\w+)\s/.exec(up) ?? [];
  if (index === undefined) throw new Error("a migration without a transaction is one `create index concurrently`");
  const { rows } = await db.raw<{ rows: { isValid: boolean }[] }>(
    `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(?)`,
    [`public.${index}`],
  );
  if (rows[0]?.isValid === false) await db.raw(`drop index concurrently public.${index}`);
  return rows[0]?.isValid === true;
}

/**
 * Converts an error from Postgres to {@link MigrationFailed}, without the statement that knex puts before the message.
 * Returns any other error unchanged.
 */
function failureOf(migration: string, statement: string, error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const message = error.message.startsWith(statement) ? error.message.slice(statement.length) : error.message;
  return new MigrationFailed(migration, message.replace(/^ - /, ""), { sqlState: error.code ?? "", cause: error });
}

const silent = { warn: nothing, error: nothing, debug: nothing, deprecate: nothing };
function nothing(): void {
  // Logs nothing: knex would print statements, and the errors that it throws are enough.
}

/**
 * How often a migration is attempted while other transactions hold its locks, and how long it pauses after each
 * attempt.
 */
export interface Patience {
  attempts: number;
  restMs: readonly [least: number, most: number];
}

const patient: Patience = { attempts: 20, restMs: [1_000, 5_000] };

/**
 * Brings the database up to date, as the login of `url` or as `realmpass_owner` if that role owns the database; runs
 * the caller's `also`; then, in one transaction, sets the rights of the roles to the list in `rights.ts`. Any number of
 * processes may call this at the same time: one migrates while the others wait. Returns the names of the migrations
 * that were run. A database with migrations of a `newer` version stays unchanged; throws {@link SchemaAhead} if this
 * version may not use that database.
 */
export async function migrateDatabase<Result>(
  url: string,
  {
    also,
    patience = patient,
    steps = migrations,
  }: {
    also: (session: pg.Client) => Promise<Result>;
    patience?: Patience;
    /** Default: the migrations of this version. */
    steps?: readonly Migration[];
  },
): Promise<({ migrations: string[]; newer: [] } & MigratedTo<Result>) | { migrations: []; newer: string[] }> {
  const session = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: (connectSecondsOf(url) ?? 10) * 1_000,
    application_name: programName,
    options: startUpOptions(),
  });
  const db = knex({
    client: "pg",
    connection: { connectionString: url, application_name: programName, options: startUpOptions() },
    pool: { min: 0, max: 3, afterCreate: prepareConnection },
    migrations: { migrationSource: sourceOf(steps) },
    log: silent,
  });
  try {
    await session.connect();
    await session.query(takeOnOwner);
    await lock(session);
    const missing = await findMissingRoles(onSession(session));
    if (missing.length > 0) throw new RolesMissing(missing);
    const done = await installation.migrationsDone(onSession(session)).catch(noneYet);
    const known = steps.map(({ name: step }) => step);
    const newer = newerMigrations(done, steps);
    if (newer.length > 0) {
      const pending = known.filter((step) => !done.includes(step));
      if (pending.length > 0) throw new SchemaForeign({ newer, pending });
      const { minimum } = await installation.versions(onSession(session));
      if (minimum !== null && !known.includes(minimum)) throw new SchemaAhead(minimum);
      return { migrations: [], newer };
    }
    // Knex's own lock is a row that a killed process leaves behind; the advisory lock ends with its connection.
    await db.migrate.forceFreeMigrationsLock();
    const names = await runMigrations(db, { patience, steps });
    const result = await also(session);
    await session.query("begin");
    const grants = await applyGrants(onSession(session));
    await installation.setMigratedTo(onSession(session), known.at(-1) ?? "");
    await session.query("commit");
    return { migrations: names, newer: [], also: result, grants };
  } catch (error) {
    throw isOutage(error) ? new DatabaseUnavailable(error) : error;
  } finally {
    await db.destroy();
    await session.end().catch(() => undefined);
  }
}

const lockAgainMs = 200;

/**
 * Waits for the lock by polling: a waiting statement would have a snapshot, and an index that is created concurrently
 * waits for every older snapshot.
 */
async function lock(session: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await session.query<{ isHeld: boolean }>(`select pg_try_advisory_lock($1) as "isHeld"`, [
      migrationLock,
    ]);
    if (rows[0]?.isHeld === true) return;
    await pause(lockAgainMs);
  }
}

/** The application name of this program's connections. */
const programName = "realmpass migrate";

/** The result for a migrated database. */
interface MigratedTo<Result> {
  also: Result;
  grants: GrantChanges;
}

/** Returns no migrations for a database that was never migrated; rethrows any other error. */
function noneYet(error: unknown): string[] {
  if (isNeverMigrated(error)) return [];
  throw error;
}

/**
 * While a statement waits for a lock, all later statements wait behind it. Shorter than a lookup may take, and shorter
 * than Postgres waits before it checks for a deadlock, because that check could end a request.
 */
const lockMsMax = 900;

/**
 * An index that is created concurrently waits for every transaction that writes to its table, but blocks no
 * transaction.
 */
const indexWaitSecondsMax = 60;

/**
 * Runs pending migrations and returns their names. Each runs in a separate transaction, except those that create an
 * index concurrently. A migration that other transactions block is rolled back and retried, so requests can continue;
 * throws after the last attempt.
 */
async function runMigrations(
  db: Knex,
  { patience, steps }: { patience: Patience; steps: readonly Migration[] },
): Promise<string[]> {
  const { attempts } = patience;
  const [least, most] = patience.restMs;
  // Migrations that prepare rows for an index: the next attempt also prepares rows that were written after the
  // preparation.
  const prepared = new Set(steps.flatMap(({ name, before }) => (before === undefined ? [] : [name])));
  const canFollow = (error: unknown): boolean =>
    error instanceof MigrationFailed &&
    (contentionStates.has(error.sqlState) || (error.sqlState === uniqueViolation && prepared.has(error.migration)));
  const done: string[] = [];
  for (let attempt = 1; ;) {
    try {
      const next = await runNext(db);
      if (next.length === 0) return done;
      done.push(...next);
      attempt = 1;
    } catch (error) {
      if (!canFollow(error) || attempt === attempts) throw error;
      attempt++;
      await pause(least + Math.random() * (most - least));
    }
  }
}

/** PostgreSQL appendix A. */
const lockNotAvailable = "55P03";
const uniqueViolation = "23505";

const lookMs = 200;

/**
 * Runs the first pending migration, if any. If a lock is not available, the error names the sessions that hold the
 * lock.
 */
async function runNext(db: Knex): Promise<string[]> {
  const work = db.migrate.up() as Promise<[batch: number, names: string[]]>;
  let blockers: string[] = [];
  try {
    for (;;) {
      const result = await within(lookMs, work);
      if (result !== "late") return result[1];
      const found = await findBlockers(db);
      if (found.length > 0) blockers = found;
    }
  } catch (error) {
    if (!(error instanceof MigrationFailed && error.sqlState === lockNotAvailable)) throw error;
    throw error.because(`it waited too long for a lock, which others have: ${blockers.join(", ")}`);
  }
}

/** Returns the sessions that block this program's connections now. */
async function findBlockers(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { pid: number; program: string }[] }>(
    `select distinct b.pid, b.application_name as program
       from pg_stat_activity m, unnest(pg_blocking_pids(m.pid)) as blocking (pid), pg_stat_activity b
      where m.datname = current_database() and m.application_name = :programName
        and b.pid = blocking.pid and b.application_name <> :programName`,
    { programName },
  );
  return rows.map(({ pid, program }) => `pid ${pid} (${program})`);
}

/** The newest migration of this version. */
export const newestMigration = migrations.at(-1)?.name ?? "";

/**
 * Assumes the owner's role if that role owns the database: one login could not change the objects of another, so all
 * objects belong to the owner, whichever login migrates.
 */
const takeOnOwner = `
  do $body$
  begin
    if (select pg_get_userbyid(datdba) from pg_database where datname = current_database()) = '${ownerRole}' then
      set role ${ownerRole};
    end if;
  end
  $body$`;

const prepareConnection = (session: pg.Client, done: (error: Error | null, session: pg.Client) => void): void => {
  session.query(`set lock_timeout = '${indexWaitSecondsMax}s'; ${takeOnOwner}`).then(
    () => {
      done(null, session);
    },
    (error: unknown) => {
      done(error as Error, session);
    },
  );
};

/** Returns whether this version has a migration of that name. */
export const knowsMigration = (name: string): boolean => migrations.some((migration) => migration.name === name);

/** Returns whether an error means that the table of migrations does not exist: undefined_table. */
export const isNeverMigrated = (error: unknown): boolean => (error as { code?: unknown }).code === "42P01";

/**
 * Returns the names of migrations that the database has and this version does not, because a newer version has migrated
 * the database.
 */
export function newerMigrations(done: readonly string[], steps: readonly Migration[] = migrations): string[] {
  const known = new Set(steps.map(({ name }) => name));
  return done.filter((name) => !known.has(name));
}

/** Returns the names of migrations that this version has and the database does not. */
export function pendingMigrations(done: readonly string[]): string[] {
  return migrations.map(({ name }) => name).filter((name) => !done.includes(name));
}
