import { beforeEach, describe, expect, test } from "vitest";
import * as statusAskers from "../../../db/queries/certificates/status-askers.ts";
import { sql } from "../../../db/sql.ts";
import { createStatusAskers } from "../../../process/status-askers.ts";
import { fromNow, givenRows } from "../../support/given/given.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const minute = 60_000;
const day = 24 * 60 * minute;
let realmId: string;
let issuerId: string;

beforeEach(async () => {
  realmId = await given.realm({ issuerEndsInDays: null });
  issuerId = await given.issuer(realmId);
});

const rows = () =>
  database.owner.query<{ kind: string; address: string; firstAt: Date; lastAt: Date }>(sql`
    select kind, host(address) as address, first_at as "firstAt", last_at as "lastAt"
      from status_askers
     where issuer_id = ${issuerId}
     order by last_at, address
  `);
const askersOf = (role: "realmpass_responder" | "realmpass_api", kind: statusAskers.AskedFor) =>
  createStatusAskers(database.open(role), { kind });

describe.each([
  ["realmpass_responder", "ocsp"],
  ["realmpass_api", "crl"],
] as const)("%s records", (role, kind) => {
  test("each address that asks, at most once a minute", async () => {
    const askers = askersOf(role, kind);
    const begin = fromNow(-10 * minute);
    const after = (ms: number) => new Date(begin.getTime() + ms);
    for (const ms of [0, 1, minute - 1]) {
      askers.note(issuerId, "192.0.2.1", after(ms));
      await askers.flush();
    }
    askers.note(issuerId, "2001:db8::1%eth0", after(2 * minute));
    askers.note(issuerId, "not an address", after(2 * minute));
    await askers.flush();
    expect(await rows()).toEqual([
      { kind, address: "192.0.2.1", firstAt: begin, lastAt: begin },
      { kind, address: "2001:db8::1", firstAt: after(2 * minute), lastAt: after(2 * minute) },
    ]);

    askers.note(issuerId, "192.0.2.1", after(minute));
    await askers.flush();
    expect((await rows())[0]).toMatchObject({ firstAt: begin, lastAt: after(minute) });
  });
});

test("a record that could not be written is written later", async () => {
  const db = database.open("realmpass_responder");
  let fails = true;
  const askers = createStatusAskers(
    {
      query: (statement) => (fails ? Promise.reject(new Error("away")) : db.query(statement)),
      transaction: (run) => db.transaction(run),
    },
    { kind: "ocsp" },
  );
  askers.note(issuerId, "192.0.2.1", fromNow(0));
  await expect(askers.flush()).rejects.toThrow("away");
  fails = false;
  await askers.flush();
  expect(await rows()).toHaveLength(1);
});

test("64 addresses are kept; a new address replaces the address that has been silent longest, if silent for a day", async () => {
  const db = database.open("realmpass_responder");
  const ask = (address: string, at: Date) =>
    statusAskers.record(db, { kind: "ocsp", askers: [{ issuerId, address, at }] });
  for (let n = 1; n <= statusAskers.askersMax; n++) await ask(`198.51.100.${n}`, fromNow(-n * minute));
  await ask("192.0.2.1", fromNow(0));
  const addresses = async () => (await rows()).map(({ address }) => address);
  expect(await addresses()).toHaveLength(64);
  expect(await addresses()).not.toContain("192.0.2.1");

  await database.owner.query(sql`
    update status_askers set first_at = first_at - interval '1 day', last_at = last_at - interval '1 day'
     where issuer_id = ${issuerId} and address in ('198.51.100.3', '198.51.100.9')
  `);
  await ask("192.0.2.1", fromNow(0));
  expect(await addresses()).toHaveLength(64);
  expect(await addresses()).toContain("192.0.2.1");
  expect(await addresses()).not.toContain("198.51.100.9");
});

test("processes that write at the same time keep at most 64 addresses", async () => {
  const databases = [1, 2, 3, 4].map(() => database.open("realmpass_responder"));
  await Promise.all(
    databases.map((db, index) =>
      statusAskers.record(db, {
        kind: "ocsp",
        askers: Array.from({ length: 40 }, (_, n) => ({
          issuerId,
          address: `10.0.${index % 2}.${n}`,
          at: fromNow(0),
        })),
      }),
    ),
  );
  expect(await rows()).toHaveLength(64);
});

test("a realm shows how many addresses asked within a day, and when the last address asked", async () => {
  const db = database.open("realmpass_api");
  const at = fromNow(0);
  expect(await statusAskers.ofRealm(db, { realmId, at })).toEqual({ servers: 0, lastAt: null });
  const last = fromNow(-minute);
  for (const [kind, address, when] of [
    ["ocsp", "192.0.2.1", last],
    ["crl", "192.0.2.1", fromNow(-2 * minute)],
    ["crl", "192.0.2.2", fromNow(-2 * day)],
  ] as const) {
    await statusAskers.record(database.owner, { kind, askers: [{ issuerId, address, at: when }] });
  }
  expect(await statusAskers.ofRealm(db, { realmId, at })).toEqual({ servers: 1, lastAt: last });
});
