import { beforeAll, expect, test, vi } from "vitest";
import type { Database, Db } from "../../../db/client.ts";
import { exactTotalMax } from "../../../db/list.ts";
import * as users from "../../../db/queries/people/users.ts";
import { sql } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";
import { fromNow, givenRows } from "../../support/given/given.ts";

/** Tests lists that are longer than the limit for exact counts. */

const database = useDatabase();
const given = givenRows(() => database.owner);
const at = fromNow(0);
let db: Database;

const beyond = 50;
let large: string;
let counted: string[] = [];
let refuse = false;
let watched: Db;

const ask = (page: object = {}, realm = large) =>
  users.list(watched, { realmId: realm, at, page: { limit: 100, offset: 0, filter: {}, sort: [], ...page } });
/** Returns the statements that counted the whole list. */
const wholeCounts = () => counted.filter((text) => text.includes("count(*)") && !text.includes("limit"));
const addUsers = (count: number, prefix: string) =>
  database.owner.query(sql`
    insert into users (realm_id, pairwise_id, created_at)
    select ${large}::bigint, ${prefix}::text || i, now() + i * interval '1 second'
      from generate_series(1, ${count}::integer) as i
  `);

beforeAll(async () => {
  db = database.open("realmpass_api");
  watched = {
    query: (statement) => {
      if (refuse && statement.text.includes("count(*)")) return Promise.reject(new Error("refused"));
      counted.push(statement.text);
      return db.query(statement);
    },
  };
  large = await given.realm();
  await addUsers(exactTotalMax + beyond, "one of many ");
});

test("a long list has a last page of the right length, in order", async () => {
  const total = exactTotalMax + beyond;
  const page = await ask({ offset: exactTotalMax, sort: [{ key: "created", direction: "asc" }] });
  expect(page.total).toBe(total);
  expect(page.items.map(({ pairwiseId }) => pairwiseId)).toEqual(
    Array.from({ length: beyond }, (_, index) => `one of many ${exactTotalMax + index + 1}`),
  );
  expect(await ask({ offset: total })).toEqual({ items: [], total });
});

test("a long list shares one count among simultaneous callers, and reuses that count for a short time", async () => {
  watched = { ...watched };
  counted = [];
  // No time passes, however slow the machine is.
  const now = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  try {
    const pages = await Promise.all(Array.from({ length: 6 }, () => ask()));
    expect(pages.map(({ total }) => total)).toEqual(Array.from({ length: 6 }, () => exactTotalMax + beyond));
    expect(wholeCounts()).toHaveLength(1);

    await ask({ offset: 500 });
    expect(wholeCounts()).toHaveLength(1);
    await ask({ filter: { locked: false } });
    expect(wholeCounts()).toHaveLength(2);
  } finally {
    now.mockRestore();
  }
});

test("a failed count is not remembered", async () => {
  watched = { ...watched };
  refuse = true;
  await expect(ask()).rejects.toThrow("refused");
  refuse = false;
  expect((await ask()).total).toBe(exactTotalMax + beyond);
});

test("an ageing count is refreshed in the background, so callers do not wait", async () => {
  watched = { ...watched };
  const now = vi.spyOn(performance, "now");
  const startedAt = performance.now();
  const after = (seconds: number) => now.mockReturnValue(startedAt + seconds * 1_000);
  try {
    await ask();
    counted = [];
    await addUsers(1, "one more ");
    after(2);
    expect((await ask()).total).toBe(exactTotalMax + beyond);
    expect(wholeCounts()).toHaveLength(0);

    after(3);
    expect((await ask()).total).toBe(exactTotalMax + beyond);
    await expect.poll(async () => (await ask()).total).toBe(exactTotalMax + beyond + 1);
    expect(wholeCounts()).toHaveLength(1);
  } finally {
    now.mockRestore();
    watched = { ...watched };
    await database.owner.query(sql`delete from users where realm_id = ${large} and pairwise_id like 'one more %'`);
  }
});

test("the totals of two realms are kept apart", async () => {
  const small = await given.realm();
  await given.user({ realmId: small });
  expect((await ask()).total).toBe(exactTotalMax + beyond);
  expect((await ask({}, small)).total).toBe(1);
});

test("a list has an exact total once it has few enough rows", async () => {
  await ask();
  const surplus = Array.from({ length: beyond + 1 }, (_, index) => `one of many ${index + 1}`);
  await database.owner.query(sql`
    delete from users
     where realm_id = ${large} and (pairwise_id = any(${surplus}::text[]) or pairwise_id like 'another %')
  `);
  expect((await ask()).total).toBe(exactTotalMax - 1);
  await addUsers(1, "another ");
  expect((await ask()).total).toBe(exactTotalMax);
});
