import { beforeAll, expect, test } from "vitest";
import { createRequestCounts } from "../../../../api/contract/request-counts.ts";
import type { Database } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import { givenRows } from "../../../support/given/given.ts";
import { useDatabase } from "../../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const hour = 3_600_000;
const begin = Date.parse("2027-03-01T08:00:00Z");
const clockAt = (ms: number) => ({ now: () => new Date(begin + ms) });
let realmId: string;

beforeAll(async () => {
  realmId = await given.realm({ issuerEndsInDays: null });
});

const rows = (clientId: string) =>
  database.owner.query<{ hour: Date; status: number; requests: number }>(sql`
    select hour, status, requests::integer from application_requests where client_id = ${clientId} order by hour, status
  `);

test("the counts of all processes add up in one row for each hour and status", async () => {
  const { clientId } = await given.application({ realmId });
  const db = database.open("realmpass_api");
  const [one, other, later] = [0, 5, hour].map((ms) => createRequestCounts({ db, clock: clockAt(ms) }));
  for (const status of [200, 403, 200]) one!.note(clientId, status);
  other!.note(clientId, 200);
  later!.note(clientId, 503);
  await Promise.all([one!.flush(), other!.flush(), later!.flush()]);
  await one!.flush();
  one!.note(clientId, 200);
  await one!.flush();
  expect(await rows(clientId)).toEqual([
    { hour: new Date(begin), status: 200, requests: 4 },
    { hour: new Date(begin), status: 403, requests: 1 },
    { hour: new Date(begin + hour), status: 503, requests: 1 },
  ]);
});

test("counts that could not be written are written later, together with newer counts", async () => {
  const { clientId } = await given.application({ realmId });
  const db = database.open("realmpass_api");
  let fails = true;
  const query: Database["query"] = (statement) => (fails ? Promise.reject(new Error("away")) : db.query(statement));
  const counts = createRequestCounts({ db: { query }, clock: clockAt(0) });
  counts.note(clientId, 200);
  const failing = counts.flush();
  counts.note(clientId, 200);
  await expect(failing).rejects.toThrow("away");
  fails = false;
  await counts.flush();
  await counts.flush();
  expect(await rows(clientId)).toMatchObject([{ requests: 2 }]);
});

test("counts of a deleted application are dropped, and the counts of other applications are still written", async () => {
  const [kept, deleted] = [await given.application({ realmId }), await given.application({ realmId })];
  const counts = createRequestCounts({ db: database.open("realmpass_api"), clock: clockAt(0) });
  for (const { clientId } of [kept, deleted]) counts.note(clientId, 200);
  await counts.flush();
  await database.owner.query(sql`delete from applications where client_id = ${deleted.clientId}`);
  for (const { clientId } of [kept, deleted]) counts.note(clientId, 200);
  await counts.flush();
  expect(await rows(kept.clientId)).toMatchObject([{ requests: 2 }]);
  expect(await rows(deleted.clientId)).toEqual([]);
});
