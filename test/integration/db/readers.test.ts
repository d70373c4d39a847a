import { beforeAll, expect, test } from "vitest";
import { openDatabase, type Database } from "../../../db/client.ts";
import { DatabaseUnavailable } from "../../../db/outage.ts";
import { lookup, sql } from "../../../db/sql.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { useDatabase } from "../../support/run/database.ts";

const readers = 2;
const database = useDatabase();
let db: Database;

beforeAll(() => {
  db = openDatabase({ url: database.url, connectionsMax: 3, readers, applicationName: "readers" });
  atEndOfFile(() => db.close());
});

const askForPid = async (on: Pick<Database, "query"> = db): Promise<number> => {
  const [row] = await on.query<{ pid: number }>(lookup`select pg_backend_pid() as pid where ${1}::integer = 1`);
  return row?.pid ?? Number.NaN;
};

const many = Array.from({ length: 40 }, (_, index) => index);

test("lookups share a few connections, and each gets its own result", async () => {
  const answers = await Promise.all(
    many.map((asked) => db.query(lookup`select ${asked}::integer as answer, pg_backend_pid() as pid`)),
  );

  expect(answers.map(([row]) => row)).toEqual(many.map((answer) => expect.objectContaining({ answer })));
  expect(new Set(answers.flatMap((rows) => rows.map((row) => (row as { pid: number }).pid))).size).toBe(readers);
});

test("a failed lookup does not affect concurrent lookups", async () => {
  const answers = await Promise.allSettled(
    many.map((asked) => db.query(lookup`select 1 / (${asked}::integer - 7) as answer`)),
  );

  expect(answers.flatMap(({ status }, index) => (status === "rejected" ? [index] : []))).toEqual([7]);
});

test("a slow lookup is cancelled, and later lookups return their rows", async () => {
  const slow = db.query(lookup`select pg_sleep(${60}::integer)`);
  const behind = Promise.all(many.map(() => askForPid()));

  await expect(slow).rejects.toThrow(DatabaseUnavailable);
  expect(await behind).toHaveLength(many.length);
});

test("a lost connection fails its lookups, and the next lookup opens a new connection", async () => {
  const before = await Promise.all(many.map(() => askForPid()));
  const slow = many.map(() => db.query(lookup`select pg_sleep(${1}::integer)`));
  const ended = Promise.allSettled(slow);
  await database.owner.query(sql`select pg_terminate_backend(pid) from unnest(${before}::integer[]) as pid`);

  expect((await ended).map((answer) => answer.status === "rejected" && answer.reason)).toEqual(
    many.map(() => expect.any(DatabaseUnavailable)),
  );
  const after = await Promise.all(many.map(() => askForPid()));
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
});

test("a lookup within a transaction sees the transaction's changes", async () => {
  const seen = await db.transaction(async (tx) => {
    await tx.query(sql`create temporary table mine on commit drop as select 1 as one`);
    return tx.query(lookup`select one from mine where one = ${1}`);
  });

  expect(seen).toEqual([{ one: 1 }]);
});

test("other statements use a separate connection", async () => {
  const shared = await Promise.all(many.map(() => askForPid()));
  const [row] = await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);

  expect(shared).not.toContain(row?.pid);
});

test("a lookup reports that Postgres is unavailable", async () => {
  const nowhere = openDatabase({
    url: "postgres://nobody@127.0.0.1:1/none",
    connectionsMax: 1,
    readers,
    applicationName: "readers",
  });

  await expect(askForPid(nowhere)).rejects.toThrow(DatabaseUnavailable);
  await nowhere.close();
});
