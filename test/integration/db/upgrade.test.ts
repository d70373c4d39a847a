import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type Database } from "../../../db/client.ts";
import { migrateDatabase, type Patience } from "../../../db/migrate.ts";
import type { Migration } from "../../../db/migrations/migration.ts";
import { migrations } from "../../../db/migrations/index.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import { cloneDatabase, openPatiently } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";
import { operate } from "../../support/service/operator.ts";

/** Makes a migrated database for one test, and the next version's `migrate`, which has one more migration. */
async function givenDatabase(): Promise<{
  url: string;
  owner: Database;
  upgrade: (next: Omit<Migration, "name">, patience?: Patience) => ReturnType<typeof migrateDatabase<undefined>>;
}> {
  const clone = await cloneDatabase();
  const owner = openPatiently({ url: clone.url, connectionsMax: 1 });
  onTestFinished(async () => {
    await owner.close();
    await clone.drop();
  });
  return {
    url: clone.url,
    owner,
    upgrade: (next, patience) =>
      migrateDatabase(clone.url, {
        also: () => Promise.resolve(undefined),
        steps: [...migrations, { name: nextName, ...next }],
        ...(patience && { patience }),
      }),
  };
}

const nextName = "29990101-0000-next";
const addColumn = { up: "alter table users add column later text" };

/** Starts a reader of users in a transaction that does not end. */
async function givenReader(url: string): Promise<{ pid: number; end: () => Promise<void> }> {
  const reader = new pg.Client({ connectionString: url, application_name: "a long report" });
  await reader.connect();
  const { rows } = await reader.query<{ pid: number }>("select pg_backend_pid() as pid");
  await reader.query("begin");
  await reader.query("select from users");
  return { pid: rows[0]!.pid, end: () => reader.end() };
}

const migrationsDone = async (owner: Database): Promise<string[]> =>
  (await owner.query<{ name: string }>(sql`select name from knex_migrations order by id`)).map(({ name }) => name);

test("a migration that gets no lock yields to requests, retries, and completes once the lock is free", async () => {
  const { url, owner, upgrade } = await givenDatabase();
  const reader = await givenReader(url);
  const upgraded = upgrade(addColumn, { attempts: 100, restMs: [0, 100] });
  const attempts = new Set<string>();
  await eventually(async () => {
    const waiting = await owner.query<{ began: string }>(sql`
      select xact_start::text as began from pg_stat_activity
       where application_name = 'realmpass migrate' and wait_event_type = 'Lock' and datname = current_database()
    `);
    for (const { began } of waiting) attempts.add(began);
    expect(attempts.size).toBeGreaterThan(1);
  });
  await reader.end();
  expect(await upgraded).toMatchObject({ migrations: [nextName] });
});

test("a migration that never gets its lock fails, names the blocking process, and leaves nothing behind", async () => {
  const { url, owner, upgrade } = await givenDatabase();
  const reader = await givenReader(url);
  await expect(upgrade(addColumn, { attempts: 2, restMs: [0, 0] })).rejects.toThrow(
    `Migration ${nextName} failed: it waited too long for a lock, which others have: pid ${reader.pid} (a long report)`,
  );
  await reader.end();
  expect(await migrationsDone(owner)).not.toContain(nextName);
  expect(await upgrade(addColumn)).toMatchObject({ migrations: [nextName] });
});

test("a request that would deadlock with a migration completes", async () => {
  const { url, owner, upgrade } = await givenDatabase();
  const request = new pg.Client({ connectionString: url });
  await request.connect();
  await request.query("begin");
  await request.query("select from applications");
  const upgraded = upgrade({ up: "lock table users; lock table applications" }, { attempts: 100, restMs: [0, 100] });
  await eventually(async () => {
    const waiting = await owner.query(sql`
      select from pg_stat_activity where application_name = 'realmpass migrate' and wait_event_type = 'Lock'
         and datname = current_database()
    `);
    expect(waiting).toHaveLength(1);
  });

  await request.query("select from users");

  await request.end();
  expect(await upgraded).toMatchObject({ migrations: [nextName] });
});

test("a migration that Postgres ends in a deadlock is retried", async () => {
  const { owner, upgrade } = await givenDatabase();
  await owner.query(sql`create sequence attempts`);
  const up = `do $$ begin
    if nextval('attempts') < 3 then raise exception 'deadlock detected' using errcode = 'deadlock_detected'; end if;
  end $$`;
  expect(await upgrade({ up }, { attempts: 3, restMs: [0, 0] })).toMatchObject({ migrations: [nextName] });
});

const addIndex = {
  up: "create index concurrently users_created_at on users (created_at desc)",
  transaction: false,
} as const;

const indexes = (owner: Database) =>
  owner.query(sql`
    select indisvalid as valid, pg_get_indexdef(indexrelid) as definition
      from pg_index where indexrelid = 'users_created_at'::regclass
  `);

test("an index is built by one of several `migrate`s", async () => {
  const { owner, upgrade } = await givenDatabase();
  const outcomes = await Promise.all([1, 2, 3].map(() => upgrade(addIndex)));
  expect(outcomes.flatMap((outcome) => outcome.migrations)).toEqual([nextName]);
  expect(await indexes(owner)).toMatchObject([{ valid: true }]);
});

test("an index waits for a writer of its table longer than a migration may block requests, and blocks no other writer", async () => {
  const { url, owner, upgrade } = await givenDatabase();
  const writer = new pg.Client({ connectionString: url });
  await writer.connect();
  await writer.query("begin; lock table users in row exclusive mode");
  const upgraded = upgrade(addIndex, { attempts: 1, restMs: [0, 0] });
  await eventually(async () => {
    const waiting = await owner.query(sql`
      select from pg_stat_activity
       where application_name = 'realmpass migrate' and datname = current_database()
         and wait_event_type = 'Lock' and query_start < clock_timestamp() - interval '2 seconds'
    `);
    expect(waiting).toHaveLength(1);
  });
  await owner.query(sql`update users set email = email`);
  await writer.end();
  expect(await upgraded).toMatchObject({ migrations: [nextName] });
  expect(await indexes(owner)).toMatchObject([{ valid: true }]);
});

test("a half-made index is dropped and rebuilt", async () => {
  const { owner, upgrade } = await givenDatabase();
  await owner.query(sql`create index users_created_at on users (created_at)`);
  await owner.query(sql`update pg_index set indisvalid = false where indexrelid = 'users_created_at'::regclass`);
  await upgrade(addIndex);
  expect(await indexes(owner)).toEqual([
    { valid: true, definition: expect.stringContaining("created_at DESC") as string },
  ]);
});

test("an index that `migrate` built but did not record is kept", async () => {
  const { owner, upgrade } = await givenDatabase();
  await upgrade(addIndex);
  const oid = () => owner.query(sql`select 'users_created_at'::regclass::oid as oid`);
  const built = await oid();
  await owner.query(sql`delete from knex_migrations where name = ${nextName}`);
  expect(await upgrade(addIndex)).toMatchObject({ migrations: [nextName] });
  expect(await oid()).toEqual(built);
});

test("completed migrations stay when a later migration fails, and the failed migration leaves nothing", async () => {
  const { url, owner } = await givenDatabase();
  const steps = [
    ...migrations,
    { name: "29990101-0000-first", up: "alter table users add column first text" },
    { name: "29990101-0001-second", up: "alter table users add column second text; select 1 / 0" },
  ];
  await expect(migrateDatabase(url, { also: () => Promise.resolve(undefined), steps })).rejects.toThrow(
    "Migration 29990101-0001-second failed: division by zero (SQLSTATE 22012)",
  );
  const columns = await owner.query(sql`
    select attname as name from pg_attribute where attrelid = 'users'::regclass and attname in ('first', 'second')
  `);
  expect(columns).toEqual([{ name: "first" }]);
  expect((await migrationsDone(owner)).at(-1)).toBe("29990101-0000-first");
});

test("`migrate` of the previous version changes nothing on a newer schema, rights included, and succeeds", async () => {
  const { url, owner, upgrade } = await givenDatabase();
  await upgrade({ up: "create table later (id integer); comment on table later is 'x'" });
  await owner.query(verbatim("grant select on later to realmpass_api"));
  const { code, json } = await operate(["migrate"], { DATABASE_URL: url });
  expect([code, json]).toEqual([0, { migrations: [], newer: [nextName] }]);
  const [right] = await owner.query(sql`select has_table_privilege('realmpass_api', 'later', 'select') as "isHeld"`);
  expect(right).toEqual({ isHeld: true });
});

test("`migrate` fails with an explanation if the database's schema is too new for this version", async () => {
  const { url, upgrade } = await givenDatabase();
  await upgrade({ up: `update installation set minimum_migration = '${nextName}'` });
  const { code, json } = await operate(["migrate"], { DATABASE_URL: url });
  expect([code, json]).toEqual([
    1,
    {
      error: "schema_ahead",
      error_description: `The database is of a newer version, which this one may not use: this version has no migration ${nextName}. Run the release that migrated the database.`,
    },
  ]);
});

test("`migrate` fails with an explanation on a newer schema that lacks a needed part", async () => {
  const { url, owner, upgrade } = await givenDatabase();
  await upgrade(addColumn);
  const [lacking] = await owner.query<{ name: string }>(sql`
    delete from knex_migrations where id = (select min(id) from knex_migrations) returning name
  `);
  const { code, json } = await operate(["migrate"], { DATABASE_URL: url });
  expect([code, json["error"]]).toEqual([1, "schema_foreign"]);
  expect(json["error_description"]).toContain(
    `it has no migration ${nextName}, and the database has not had ${lacking!.name}`,
  );
});
