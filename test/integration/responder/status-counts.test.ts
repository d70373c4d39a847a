import { beforeEach, expect, test } from "vitest";
import type { Database } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { countedAddressesMax, createStatusCounts } from "../../../responder/status-counts.ts";
import { givenRows } from "../../support/given/given.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const hour = 3_600_000;
const begin = Date.parse("2027-03-01T08:00:00Z");
let realmId: string;
let issuerId: string;

beforeEach(async () => {
  realmId = await given.realm({ issuerEndsInDays: null });
  issuerId = await given.issuer(realmId);
});

const rows = () =>
  database.owner.query<{ hour: Date; address: string; good: number; refused: number; lastAt: Date }>(sql`
    select hour, host(address) as address, good::integer, refused::integer, last_at as "lastAt"
      from status_counts
     where realm_id = ${realmId}
     order by hour, status_counts.address
  `);
const good = (ms: number) => ({ outcome: "good", at: new Date(begin + ms) }) as const;
const revoked = (ms: number) => ({ outcome: "revoked", at: new Date(begin + ms) }) as const;

test("answers of all issuers and responders of a realm add up in one row for each hour and address", async () => {
  const [one, other] = [1, 2].map(() => createStatusCounts(database.open("realmpass_responder")));
  await database.owner.query(sql`update issuers set issuing = false where id = ${issuerId}`);
  const next = await given.issuer(realmId);
  one!.note(issuerId, "192.0.2.1", good(0));
  one!.note(next, "192.0.2.1", good(1));
  one!.note(issuerId, "2001:db8::1%eth0", revoked(hour - 1));
  one!.note(issuerId, "192.0.2.1", good(hour));
  other!.note(issuerId, "192.0.2.1", revoked(2));
  await Promise.all([one!.flush(), other!.flush()]);
  await one!.flush();
  one!.note(issuerId, "192.0.2.1", revoked(hour + 5));
  await one!.flush();
  expect(await rows()).toEqual([
    { hour: new Date(begin), address: "192.0.2.1", good: 2, refused: 1, lastAt: new Date(begin + 2) },
    { hour: new Date(begin), address: "2001:db8::1", good: 0, refused: 1, lastAt: new Date(begin + hour - 1) },
    { hour: new Date(begin + hour), address: "192.0.2.1", good: 1, refused: 1, lastAt: new Date(begin + hour + 5) },
  ]);
});

test("counts that could not be written are written later, together with newer ones", async () => {
  const db = database.open("realmpass_responder");
  let fails = true;
  const query: Database["query"] = (statement) => (fails ? Promise.reject(new Error("away")) : db.query(statement));
  const counts = createStatusCounts({ query });
  counts.note(issuerId, "192.0.2.1", good(0));
  await expect(counts.flush()).rejects.toThrow("away");
  fails = false;
  counts.note(issuerId, "192.0.2.1", good(1));
  const flushing = counts.flush();
  counts.note(issuerId, "192.0.2.1", good(2));
  await flushing;
  expect((await rows()).map((row) => row.good)).toEqual([2]);
  await counts.flush();
  expect((await rows()).map((row) => row.good)).toEqual([3]);
});

test("a flush runs one statement, or no statement if there was no request", async () => {
  const db = database.open("realmpass_responder");
  let statements = 0;
  const query: Database["query"] = (statement) => {
    statements += 1;
    return db.query(statement);
  };
  const counts = createStatusCounts({ query });
  await counts.flush();
  expect(statements).toBe(0);
  for (let n = 0; n < 500; n++) counts.note(issuerId, `192.0.2.${n % 10}`, good(n));
  await counts.flush();
  await counts.flush();
  expect(statements).toBe(1);
  expect((await rows()).map((row) => row.good)).toEqual(Array.from({ length: 10 }, () => 50));
});

test("addresses beyond the number that is counted individually are counted together", async () => {
  const counts = createStatusCounts(database.open("realmpass_responder"));
  for (let n = 0; n < countedAddressesMax + 30; n++) counts.note(issuerId, `2001:db8::${n.toString(16)}`, good(n));
  counts.note(issuerId, "not an address", revoked(0));
  await counts.flush();
  const counted = await rows();
  expect(counted).toHaveLength(countedAddressesMax + 1);
  expect(counted.filter(({ address }) => address === "::")).toMatchObject([{ good: 30, refused: 1 }]);
});
