import { beforeAll, beforeEach, expect, test } from "vitest";
import { only, type Database } from "../../../../db/client.ts";
import * as certificatePages from "../../../../db/queries/certificates/certificate-pages.ts";
import { sql } from "../../../../db/sql.ts";
import { markExpired } from "../../../../worker/upkeep/upkeep.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { fromNow, givenRows, type GivenUser } from "../../../support/given/given.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const day = 24 * 3_600_000;
let api: Database;
let worker: Database;
let realmId: string;
let user: GivenUser;

beforeAll(() => {
  api = database.open("realmpass_api");
  worker = database.open("realmpass_worker");
});
beforeEach(async () => {
  realmId = await given.realm();
  user = await given.user({ realmId });
});

type Ask = Partial<Parameters<typeof certificatePages.pageOfRealm>[1]["page"]>;

const list = async (page: Ask = {}, at = fromNow(0)) => {
  const asked = { limit: 100, offset: 0, filter: {}, sort: [], ...page };
  const { items, total } = await certificatePages.pageOfRealm(api, { realmId, at, page: asked });
  expect(total).toBe(items.length);
  return items.map(({ serialNumber }) => serialNumber);
};

/** Counts the realm's rows in the table that the list scans. */
const kept = async (): Promise<number> =>
  only(
    await database.owner.query<{ count: number }>(
      sql`select count(*)::integer as count from active_profiles where realm_id = ${realmId}`,
    ),
  ).count;

const revoke = (serialNumber: string) =>
  api.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, now(), 4 from certificates where realm_id = ${realmId} and serial_number = ${serialNumber}
  `);

test("a profile is listed until it is revoked, and is then no longer scanned", async () => {
  const [stays, goes] = [await given.profile(user), await given.profile(user)];
  expect((await list()).sort()).toEqual([stays, goes].sort());
  await revoke(goes);
  expect(await list()).toEqual([stays]);
  expect(await kept()).toBe(1);
});

test("an expired profile leaves the list immediately, and is no longer scanned after upkeep", async () => {
  await given.profile(user, { notAfter: fromNow(60_000) });
  const stays = await given.profile(user);
  const later = fromNow(120_000);
  expect(await list({}, later)).toEqual([stays]);
  expect(await kept()).toBe(2);
  await markExpired({ db: worker, clock: { now: () => later } });
  expect(await list({}, later)).toEqual([stays]);
  expect(await kept()).toBe(1);
});

test("a rolled-back creation or revocation leaves a profile unchanged", async () => {
  const stays = await given.profile(user);
  await expect(
    database.owner.transaction(async (tx) => {
      await givenRows(() => tx as Database).profile(user);
      await tx.query(sql`insert into revocations select id, now(), 4 from certificates where serial_number = ${stays}`);
      throw new Error("taken back");
    }),
  ).rejects.toThrow("taken back");
  expect(await list()).toEqual([stays]);
  expect(await kept()).toBe(1);
});

test("profiles of other kinds, and rows erased by hand, are not scanned", async () => {
  const { id: guestAccountId } = await given.guestAccount({ realmId });
  await given.profile({ realmId }, { guestAccountId });
  await given.profile({ realmId }, { kind: "infrastructure" });
  const gone = await given.profile(user);
  await database.owner.query(sql`delete from certificates where serial_number = ${gone}`);
  expect(await kept()).toBe(0);
});

test.each(["3", "12", "123", "1234", "5551234", "12345678901234567890123", "%", "_"])(
  "a search for %s finds the serial numbers that contain it",
  async (search) => {
    const serials = ["5551234", "912", "1234567890123456789012345", "12345678901234567890124", "77", "31212"];
    const made = await Promise.all(
      serials
        .map((serial, index) => `${serial}${7 + index}`)
        .map((serialNumber) => given.profile(user, { serialNumber })),
    );
    const expected = made.filter((serial) => serial.includes(search)).sort();
    for (const key of ["serial", "createtime", "expirationtime"] as const) {
      expect((await list({ search, sort: [{ key, direction: "desc" }] })).sort()).toEqual(expected);
    }
  },
);

test("a profile whose lifetime is the shortest or longest so far is found by its creation and by its expiration", async () => {
  const made = fromNow(-2 * day);
  const listedBy = async (filter: Ask["filter"], key: "createtime" | "expirationtime") =>
    (await list({ filter: filter ?? {}, sort: [{ key, direction: "asc" }] })).length;
  for (const [found, days] of [
    [1, 365],
    [2, 1.5],
    [3, 4000],
  ] as const) {
    await given.profile(user, { createdAt: made, notAfter: fromNow(days * day) });
    expect(await listedBy({ minCreated: made, maxCreated: made }, "expirationtime")).toBe(found);
    expect(
      await listedBy(
        { minExpirationTime: fromNow((days - 1) * day), maxExpirationTime: fromNow((days + 1) * day) },
        "createtime",
      ),
    ).toBe(1);
  }
});
