import { expect, test } from "vitest";
import { migrations } from "../../../db/migrations/index.ts";
import type { Migration } from "../../../db/migrations/migration.ts";

/** Older migrations were written for installations that stop during a migration. */
const ruleSince = "20261126-";

const remedy = {
  index:
    "nobody can write while it is built: `create index concurrently`, alone in a migration with `transaction: false`",
  rewrite: "nobody can use the table while every row is rewritten: add a column, and let the code fill it",
  check: "nobody can use the table while every row is looked at: add a check `not valid`, then `validate constraint`",
  data: "rows stay locked until all are done: move data in slices, as a task of upkeep",
  together: "it waits for one table while requests wait for another: a migration for each table",
  alone: "an index is made concurrently outside a transaction, in a migration of its own with `transaction: false`",
} as const;

/**
 * Returns the statements of a migration, without comments, string literals and function bodies; a `do` block runs
 * immediately, so its content stays.
 */
const statementsOf = (up: string): string[] =>
  up
    .replace(/--.*$/gm, " ")
    .replace(/\bdo\s+\$(\w*)\$([\s\S]*?)\$\1\$/gi, "$2")
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, " ")
    .replace(/'(?:[^']|'')*'/g, "''")
    .toLowerCase()
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim())
    .filter((statement) => statement !== "");

const table = String.raw`(?:only )?(?:public\.)?(\w+)`;

/** Statements that block every query on a table in use; the first group is the name of the table. */
const refused: readonly (readonly [RegExp, keyof typeof remedy])[] = [
  [new RegExp(String.raw`\bcreate (?:unique )?index (?!concurrently)(?:if not exists )?\w* ?on ${table}`), "index"],
  [
    new RegExp(String.raw`\balter table (?:if exists )?${table} .*\balter (?:column )?\w+ (?:set data )?type\b`),
    "rewrite",
  ],
  [new RegExp(String.raw`\balter table (?:if exists )?${table} .*\bset not null\b`), "check"],
  [new RegExp(String.raw`\bupdate ${table} (?:as )?(?:\w+ )?set\b`), "data"],
  [new RegExp(String.raw`\binsert into ${table}\b(?!.*\bvalues\b).*\bselect\b`), "data"],
];

/** Statements that also block readers: foreign keys and triggers block only writers. */
const locking = new RegExp(String.raw`^(?:alter table|drop trigger \w+ on|lock table) (?:if exists )?${table}`);

/** These tables have few rows, so changing them does not count as moving data. */
const small = new Set(["installation", "realms"]);

/** Returns whether a statement changes few rows of a large table. */
const changesFew = (statement: string): boolean =>
  statement === "update users set roles = '' where administrator" ||
  statement.startsWith("update users u set twin = numbered.twin ");

/** Returns `name: what is refused: what to do` for each statement that would block a service in use. */
function faultsOf({ name, up, transaction, before = "" }: Migration): string[] {
  const statements = [...statementsOf(before), ...statementsOf(up)];
  const own = new Set(
    statements.flatMap((statement) => {
      const [, made] = new RegExp(String.raw`^create table (?:if not exists )?${table}`).exec(statement) ?? [];
      return made === undefined ? [] : [made];
    }),
  );
  const isConcurrent = statements.some((statement) => /\bindex concurrently\b/.test(statement));
  const faults = statements.flatMap((statement) =>
    refused.flatMap(([pattern, why]) => {
      const [, on = ""] = pattern.exec(statement) ?? [];
      return on === "" || own.has(on) || small.has(on) || changesFew(statement)
        ? []
        : [`${name}: ${statement.slice(0, 60)}: ${remedy[why]}`];
    }),
  );
  const locked = new Set(
    statements.flatMap((statement) => locking.exec(statement)?.[1] ?? []).filter((on) => !own.has(on)),
  );
  if (locked.size > 1) faults.push(`${name}: ${[...locked].join(", ")}: ${remedy.together}`);
  const isAlone = statementsOf(up).length === 1 && transaction === false;
  return isConcurrent !== (transaction === false) || (isConcurrent && !isAlone)
    ? [...faults, `${name}: ${remedy.alone}`]
    : faults;
}

test("a migration must not block queries on an existing table, because the service is in use", () => {
  expect(migrations.filter(({ name }) => name >= ruleSince).flatMap(faultsOf)).toEqual([]);
});

test.each([
  ["create index a on users (email)", remedy.index],
  ["create unique index if not exists a on public.users (email)", remedy.index],
  ["alter table users alter column email type varchar", remedy.rewrite],
  ["alter table users add column a text, alter email set data type varchar", remedy.rewrite],
  ["alter table users alter email set not null", remedy.check],
  ["update users set email = ''", remedy.data],
  ["update only users u set email = ''", remedy.data],
  ["with due as (select id from users) update users set email = ''", remedy.data],
  ["do $$ begin update users set email = ''; end $$", remedy.data],
  ["create table a (id text); insert into users (email) select id from a", remedy.data],
  ["insert into users (email) with a as (select '') select * from a", remedy.data],
  ["alter table users add column a text; alter table applications add column a text", remedy.together],
  ["lock table users; alter table only public.applications add column a text", remedy.together],
  ["create index concurrently a on users (email)", remedy.alone],
])("%s is refused", (up, why) => {
  const faults = faultsOf({ name: "29990101-0000-x", up });
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(why);
});

test.each([
  "alter table users add column a text; comment on column users.a is 'to update users set it; later'",
  "create table a (id text, b text); create index a_id on a (id); alter table a alter id set not null; insert into a select email from users; update a set id = ''",
  "create function f() returns trigger language plpgsql as $body$ begin update users set email = ''; return new; end $body$",
  "create trigger t after update on users for each row execute function f()",
  "create trigger t before insert or update of email on users for each row execute function f()",
  "alter table users add constraint c check (email <> '') not valid; alter table users validate constraint c",
  "alter table users alter email drop not null",
  "alter table users add column a text; alter table users add column b text; create table c (id text); alter table c add column d text",
  "-- update users set it\ninsert into a (id) values ('select')",
  "update installation set minimum_migration = '20261126-1000-x'",
])("%s is allowed", (up) => {
  expect(faultsOf({ name: "29990101-0000-x", up })).toEqual([]);
});

test("an index that is made concurrently is alone in a migration without a transaction", () => {
  const up = "create index concurrently a on users (email);";
  expect(faultsOf({ name: "x", up, transaction: false })).toEqual([]);
  expect(faultsOf({ name: "x", up: `${up} select 1`, transaction: false })).toEqual([`x: ${remedy.alone}`]);
  expect(faultsOf({ name: "x", up: "select 1", transaction: false })).toEqual([`x: ${remedy.alone}`]);
});
