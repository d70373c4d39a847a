import { describe, expect, onTestFinished, test } from "vitest";
import { violates, type Database } from "../../../db/client.ts";
import { migrateDatabase } from "../../../db/migrate.ts";
import { migrations } from "../../../db/migrations/index.ts";
import * as people from "../../../db/queries/people/people.ts";
import * as users from "../../../db/queries/people/users.ts";
import { sql, verbatim } from "../../../db/sql.ts";
import { foldId } from "../../../domain/people/pairwise-id.ts";
import { differentIds, givenTwins, sameIds } from "../../support/given/spellings.ts";
import { fromNow, givenRows } from "../../support/given/given.ts";
import { cloneDatabase, emptyDatabase, openPatiently, useDatabase } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);

/**
 * Every assigned character of this Unicode version, except those for private use and those of Han and Hangul, which
 * have neither case nor format characters.
 */
const characters = Array.from({ length: 0x10ffff }, (_, index) => index + 1)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => !/[\p{Cn}\p{Co}\p{Script=Han}\p{Script=Hangul}]/u.test(character));

const folded = async (ids: readonly string[]): Promise<string[]> =>
  (
    await database.owner.query<{ folded: string }>(sql`
      select folded_id(id) as folded from unnest(${ids}::text[]) with ordinality as given (id, place) order by place
    `)
  ).map((row) => row.folded);

describe("the database folds an id as the domain does", () => {
  test("for every spelling in the table", async () => {
    const ids = [...sameIds, ...differentIds].flatMap(([one, other]) => [one, other]);
    expect(await folded(ids)).toEqual(ids.map(foldId));
  });

  test("for every character", async () => {
    const inDatabase = await folded(characters);
    expect(characters.filter((character, index) => inDatabase[index] !== foldId(character))).toEqual([]);
    expect(inDatabase.filter((one, index) => one !== characters[index]).length).toBeGreaterThan(1_500);
  });

  test("and the domain folds every letter but the dotless i like its other case, if the other case is a single letter", () => {
    const apart = characters.flatMap((letter) =>
      [letter.toLowerCase(), letter.toUpperCase()]
        .filter((other) => Array.from(other).length === 1 && foldId(other) !== foldId(letter))
        .map((other) => `${letter}${other}`),
    );
    expect(apart).toEqual(["\u0131I"]);
  });
});

const insert = (db: Database, realmId: string, pairwiseId: string) =>
  users.create(db, { realmId, pairwiseId, email: "", roles: [], at: fromNow(0) });

const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test.each(sameIds)("a realm cannot have both a person %s and a person %s", async (one, other) => {
  const realmId = await given.realm();
  await insert(database.owner, realmId, one);
  expect(violates(await refusal(insert(database.owner, realmId, other)), "users_folded_id")).toBe(true);
  // Control: the second spelling is free in another realm, and a different id is free in this one.
  await insert(database.owner, await given.realm(), other);
  await insert(database.owner, realmId, `${other}2`);
});

test("two simultaneous transactions with two spellings of one id create only one person", async () => {
  const realmId = await given.realm();
  const [api, worker] = [database.open("realmpass_api"), database.open("realmpass_worker")];
  let second: Promise<unknown> = Promise.resolve();
  await api.transaction(async (tx) => {
    await users.create(tx, { realmId, pairwiseId: "JDoe", email: "", roles: [], at: fromNow(0) });
    second = refusal(
      worker.query(sql`insert into users (realm_id, pairwise_id, created_at) values (${realmId}, 'jdoe', now())`),
    );
    await eventually(async () => {
      const waiting = await database.owner.query(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    });
  });
  expect(violates(await second, "users_folded_id")).toBe(true);
  const made = await database.owner.query(sql`select pairwise_id as id from users where realm_id = ${realmId}`);
  expect(made).toEqual([{ id: "JDoe" }]);
});

test("one person among many is looked up by an index, even on a table without statistics", async () => {
  const realmId = await given.realm();
  await database.owner.query(sql`
    insert into users (realm_id, pairwise_id, created_at) select ${realmId}, 'many-' || n, now() from generate_series(1, 20000) n
  `);
  const plan = await database.owner.query<{ "QUERY PLAN": string }>(sql`
    explain select id from users where realm_id = ${realmId} and folded_id(pairwise_id) = folded_id(${"MANY-7"})
  `);
  expect(plan.map((line) => line["QUERY PLAN"]).join("\n")).toContain("users_folded_id");
});

/** Makes a database with a realm, without the migrations that release 0.2.1 added for ids. */
async function earlier(): Promise<{ url: string; owner: Database; realmId: string }> {
  const clone = await emptyDatabase();
  const owner = openPatiently({ url: clone.url, connectionsMax: 2 });
  onTestFinished(async () => {
    await owner.close();
    await clone.drop();
  });
  const steps = migrations.filter(({ name }) => !/^20261128-14[123]/.test(name));
  await migrateDatabase(clone.url, { also: () => Promise.resolve(undefined), steps });
  const realmId = await givenRows(() => owner).realm();
  return { url: clone.url, owner, realmId };
}

const upgrade = (url: string) => migrateDatabase(url, { also: () => Promise.resolve(undefined) });

test("an upgrade keeps people whose ids differ only in spelling, names them, and refuses a third spelling", async () => {
  const { url, owner, realmId } = await earlier();
  const made = ["JDoe", "jdoe", "jd\u200boe", "ann", "J\u00e4ger", "ja\u0308ger"];
  for (const id of made) {
    await owner.query(sql`insert into users (realm_id, pairwise_id, created_at) values (${realmId}, ${id}, now())`);
  }
  const all = sql`select id, pairwise_id as "pairwiseId", email, created_at as "createdAt" from users order by id`;
  const before = await owner.query<{ id: string; pairwiseId: string }>(all);

  await upgrade(url);

  expect(await owner.query(all)).toEqual(before);
  const { first, count } = await people.findTwins(owner, { realmId, max: 10 });
  expect(count).toBe(2);
  expect(first.map((twins) => twins.people.map(({ pairwiseID }) => pairwiseID))).toEqual([
    ["JDoe", "jdoe", "jd\u200boe"],
    ["J\u00e4ger", "ja\u0308ger"],
  ]);
  for (const id of ["JDOE", "J\u00c4GER", "Ann"]) {
    expect(violates(await refusal(insert(owner, realmId, id)), "users_folded_id")).toBe(true);
  }
  await insert(owner, realmId, "Anna");
});

test("a second spelling added while the index is built is numbered at the next attempt", async () => {
  const clone = await cloneDatabase();
  const owner = openPatiently({ url: clone.url, connectionsMax: 2 });
  onTestFinished(async () => {
    await owner.close();
    await clone.drop();
  });
  const realmId = await givenRows(() => owner).realm();
  await givenTwins(owner, { realmId, ids: ["a", "b"] });
  await owner.query(verbatim("create table attempts (at timestamptz)"));
  const step = {
    name: "29990101-0000-next",
    transaction: false,
    before: `insert into attempts values (now());
             update users set email = id where (select count(*) from attempts) > 1`,
    up: "create unique index concurrently users_one_email on users (realm_id, email)",
  } as const;
  const migrate = (next: typeof step | Omit<typeof step, "before">) =>
    migrateDatabase(clone.url, {
      also: () => Promise.resolve(undefined),
      steps: [...migrations, next],
      patience: { attempts: 3, restMs: [0, 0] },
    });
  // Control: without the preparation, another attempt would fail the same way.
  const { before: _, ...unprepared } = step;
  await expect(migrate(unprepared)).rejects.toThrow("SQLSTATE 23505");
  expect(await migrate(step)).toMatchObject({ migrations: [step.name] });
  expect(await owner.query(sql`select count(*)::integer as count from attempts`)).toEqual([{ count: 2 }]);
});
