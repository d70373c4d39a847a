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
  getMigration: (step) => Promise.resolve(stepOf(step)),
};

function stepOf({ name, up, transaction }: Migration): Knex.Migration & { config: { transaction: boolean } } {
  return {
    config: { transaction: transaction ?? true },
    async up(db) {
      try {
        if (transaction === false && (await isIndexMade(db, up))) return;
        // To knex a question mark is a place for a value; migrations have none.
        await db.raw(up.replaceAll("?", "\\?"));
      } catch (error) {
        throw isOutage(error) ? error : failureOf(name, up, error);
      }
    },
    down: () => Promise.reject(new Error("migrations only go forward")),
  };
}

/**
 * Whether the index that a migration without a transaction makes is there, as it is when `migrate` ended before that was
 * recorded. One that was left half-made is written by everybody and read by nobody: it is dropped.
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
    await session.query("select pg_advisory_lock($1)", [migrationLock]);
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
