import pg from "pg";
import { expect, test } from "vitest";
import { migrations } from "../../../db/migrations/index.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import { migrateAll } from "../../../operator/migrate/migrate.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();

test("an up-to-date database is left as it is", async () => {
  const unchanged = { migrations: [], grants: { granted: [], revoked: [] } };
  expect(await migrateAll(database.url)).toMatchObject(unchanged);
});

test("when several processes start on an empty database at the same time, each migration runs once", async () => {
  const url = new URL(database.url);
  const name = `${url.pathname.slice(1)}_empty`;
  await database.owner.query(verbatim(`create database ${name}`));
  url.pathname = `/${name}`;
  try {
    const outcomes = await Promise.all([1, 2, 3].map(() => migrateAll(url.href)));
    expect(outcomes.flatMap((outcome) => outcome.migrations)).toEqual(migrations.map((migration) => migration.name));
  } finally {
    await database.owner.query(verbatim(`drop database ${name} with (force)`));
  }
});

test("a migration that was killed does not block the next", async () => {
  // A process killed in the middle leaves this in knex's own lock table.
  await database.owner.query(sql`update knex_migrations_lock set is_locked = 1`);
  expect(await migrateAll(database.url)).toMatchObject({ migrations: [] });
});

test("an index that a killed migration left half-made or unrecorded exists after the next migration", async () => {
  const name = "20261126-1120-audit-entries-about";
  const index = sql`select indisvalid as valid from pg_index where indexrelid = 'audit_entries_about'::regclass`;
  for (const valid of [false, true]) {
    await database.owner.query(sql`
      update pg_index set indisvalid = ${valid} where indexrelid = 'audit_entries_about'::regclass
    `);
    await database.owner.query(sql`delete from knex_migrations where name = ${name}`);
    expect(await migrateAll(database.url)).toMatchObject({ migrations: [name] });
    expect(await database.owner.query(index)).toEqual([{ valid: true }]);
  }
});

test("migrations are listed in the order of their names, each once", () => {
  const names = migrations.map((migration) => migration.name);
  expect(names).toEqual([...new Set(names)].sort());
});

test("every table has a comment that describes it", async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ relname: string }>(`
    select relname from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'knex_%'
       and obj_description(oid, 'pg_class') is null`);
  await client.end();
  expect(rows).toEqual([]);
});
