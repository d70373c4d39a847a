import { beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import type { Page, PageRequest } from "../../../../db/page.ts";
import * as certificatePages from "../../../../db/queries/certificates/certificate-pages.ts";
import * as guestAccounts from "../../../../db/queries/people/guest-accounts.ts";
import * as users from "../../../../db/queries/people/users.ts";
import { sql, type Sql } from "../../../../db/sql.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let db: Database;
let realmId: string;

const at = fromNow(0);
const day = 24 * 3_600_000;
/** Few instants, so that many rows share the same one. */
const instants = [1, 2, 3, 4, 5].map((days) => fromNow(-days * day));

/** Creates a source of random numbers that repeats the same numbers in every run. */
function createDraws(seed: number) {
  let state = seed;
  const below = (max: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
  return { below, oneOf: <Value>(values: readonly Value[]): Value => values[below(values.length)]! };
}

beforeAll(async () => {
  db = database.open("realmpass_api");
  realmId = await given.realm();
  const draws = createDraws(1);
  for (let made = 0; made < 60; made++) {
    const user = await given.user({
      realmId,
      pairwiseId: `person-${(made * 37) % 60}`,
      createdAt: draws.oneOf(instants),
      lockedAt: draws.oneOf([null, null, ...instants]),
      offboardedAt: draws.oneOf([null, null, null, ...instants]),
    });
    for (let profiles = draws.below(4); profiles > 0; profiles--) {
      await given.profile(user, {
        createdAt: draws.oneOf(instants),
        notAfter: draws.oneOf([fromNow(-day), ...instants.map((instant) => new Date(instant.getTime() + 300 * day))]),
        deviceType: draws.oneOf(["Linux", "Windows"]),
        authable: draws.below(3) === 0,
      });
    }
    for (let profiles = draws.below(4); profiles > 0; profiles--) {
      const serial = await given.profile(user, {
        createdAt: draws.oneOf(instants),
        deviceType: draws.oneOf(["Linux", "Windows"]),
      });
      await database.owner.query(sql`
        insert into revocations (certificate_id, revoked_at, reason)
        select id, ${draws.oneOf(instants)}, 4 from certificates where realm_id = ${realmId} and serial_number = ${serial}
      `);
    }
    const account = await given.guestAccount({ realmId, expiresAt: draws.oneOf(instants) });
    await database.owner.query(sql`
      update guest_accounts
         set name = ${draws.oneOf(["a", "b", "c"])}, profile_limit = ${draws.oneOf([null, 0, 1, 2])},
             created_at = ${draws.oneOf(instants)}
       where id = ${account.id}
    `);
  }
  // Rows of another realm, which must appear on none of these pages.
  const elsewhere = await given.realm();
  const stranger = await given.user({ realmId: elsewhere, createdAt: instants[0]! });
  await given.profile(stranger);
  const serial = await given.profile(stranger);
  await database.owner.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, now(), 4 from certificates where realm_id = ${elsewhere} and serial_number = ${serial}
  `);
  await given.guestAccount({ realmId: elsewhere });
});

type Value = Date | number | string | null;

interface Listed<Item> {
  name: string;
  /** The table that contains the items. */
  table: Sql;
  list: (page: PageRequest<never, never>) => Promise<Page<Item>>;
  /** The sort keys of an item. */
  keys: Record<string, (item: Item) => Value>;
  newest: (item: Item) => Date;
  filters: readonly { filter: object; keeps: (item: Item) => boolean }[];
}

const listed = <Item extends { id: string }>(list: Listed<Item>): Listed<{ id: string }> =>
  list as unknown as Listed<{ id: string }>;

const lists = [
  listed<users.User>({
    name: "users",
    table: sql`users`,
    list: (page) => users.list(db, { realmId, at, page }),
    keys: {
      pairwiseid: (user) => user.pairwiseId,
      created: (user) => user.createdAt,
      profilecount: (user) => user.profileCount,
      lockDate: (user) => user.lockedAt,
      blacklistDate: (user) => user.offboardedAt,
    },
    newest: (user) => user.createdAt,
    filters: [
      { filter: { locked: true }, keeps: (user) => user.lockedAt !== null },
      { filter: { locked: false, blacklisted: false }, keeps: (u) => u.lockedAt === null && u.offboardedAt === null },
      { filter: { minProfileCount: 2 }, keeps: (user) => user.profileCount >= 2 },
      { filter: { maxProfileCount: 1 }, keeps: (user) => user.profileCount <= 1 },
      {
        filter: { minProfileCount: 1, maxCreated: instants[1] },
        keeps: (user) => user.profileCount >= 1 && user.createdAt <= instants[1]!,
      },
      { filter: { minLockDate: instants[2] }, keeps: (u) => u.lockedAt !== null && u.lockedAt >= instants[2]! },
    ],
  }),
  listed<Awaited<ReturnType<typeof certificatePages.pageOfRealm>>["items"][number]>({
    name: "active profiles",
    table: sql`certificates`,
    list: (page) => certificatePages.pageOfRealm(db, { realmId, at, page }),
    keys: {
      serial: (profile) => profile.serialNumber,
      createtime: (profile) => profile.createdAt,
      expirationtime: (profile) => profile.notAfter,
      lastlogin: (profile) => profile.createdAt,
    },
    newest: (profile) => profile.createdAt,
    filters: [
      { filter: { authable: true }, keeps: (profile) => profile.authable },
      { filter: { deviceType: "Linux" }, keeps: (profile) => profile.deviceType === "Linux" },
      { filter: { minCreated: instants[3] }, keeps: (profile) => profile.createdAt >= instants[3]! },
      {
        filter: { maxExpirationTime: new Date(instants[2]!.getTime() + 300 * day) },
        keeps: (profile) => profile.notAfter.getTime() <= instants[2]!.getTime() + 300 * day,
      },
      {
        filter: { minExpirationTime: new Date(instants[1]!.getTime() + 300 * day) },
        keeps: (profile) => profile.notAfter.getTime() >= instants[1]!.getTime() + 300 * day,
      },
      { filter: { maxCreated: instants[1] }, keeps: (profile) => profile.createdAt <= instants[1]! },
      {
        filter: { minLastLogin: instants[3], maxLastLogin: instants[1] },
        keeps: (profile) => profile.createdAt >= instants[3]! && profile.createdAt <= instants[1]!,
      },
    ],
  }),
  listed<Awaited<ReturnType<typeof certificatePages.pageOfRealm>>["items"][number]>({
    name: "revoked profiles",
    table: sql`certificates`,
    list: (page) =>
      certificatePages.pageOfRealm(db, {
        realmId,
        at,
        page: { ...page, filter: { ...(page.filter as object), state: "revoked" } },
      }),
    keys: {
      serial: (profile) => profile.serialNumber,
      createtime: (profile) => profile.createdAt,
      expirationtime: (profile) => profile.notAfter,
      revoketime: (profile) => profile.revokedAt,
    },
    newest: (profile) => profile.revokedAt!,
    filters: [
      { filter: { deviceType: "Linux" }, keeps: (profile) => profile.deviceType === "Linux" },
      { filter: { minCreated: instants[3] }, keeps: (profile) => profile.createdAt >= instants[3]! },
    ],
  }),
  listed<guestAccounts.CountedGuestAccount>({
    name: "guest accounts",
    table: sql`guest_accounts`,
    list: (page) => guestAccounts.list(db, { realmId, at, page }),
    keys: {
      name: (account) => account.name,
      createtime: (account) => account.createdAt,
      expirationtime: (account) => account.expiresAt,
      profilelimit: (account) => account.profileLimit,
    },
    newest: (account) => account.createdAt,
    filters: [{ filter: { maxCreateTime: instants[2] }, keeps: (account) => account.createdAt <= instants[2]! }],
  }),
];

const plain = (value: Value): Value => (value instanceof Date ? value.getTime() : value);

/** Sorts in memory as Postgres should: nulls last in either direction, ties by id in the direction of the last key. */
function sorted(
  items: readonly { id: string }[],
  { keys, newest }: Listed<{ id: string }>,
  sort: readonly { key: string; direction: "asc" | "desc" }[],
): string[] {
  const terms = [
    ...(sort.length === 0
      ? [{ value: newest, direction: "desc" as const }]
      : sort.map(({ key, direction }) => ({ value: keys[key]!, direction }))),
    { value: ({ id }: { id: string }): Value => Number(id), direction: sort.at(-1)?.direction ?? ("desc" as const) },
  ];
  return items
    .toSorted((a, b) => {
      for (const { value, direction } of terms) {
        const [x, y] = [a, b].map((item) => plain(value(item))) as [Value, Value];
        if (x === null || y === null) {
          if (x !== y) return x === null ? 1 : -1;
        } else if (x !== y) {
          return (x < y ? -1 : 1) * (direction === "asc" ? 1 : -1);
        }
      }
      return 0;
    })
    .map(({ id }) => id);
}

describe.each(lists)("$name", (list) => {
  test("consecutive pages make up the whole ordered list, for any filter", async () => {
    const ask = (page: object) => list.list({ limit: 1000, offset: 0, filter: {}, sort: [], ...page } as never);
    const everything = (await ask({})).items;
    expect(everything.length).toBeGreaterThan(40);
    const ids = everything.map(({ id }) => id);
    const realms = sql`select distinct realm_id as id from ${list.table} where id = any(${ids}::bigint[])`;
    expect(await database.owner.query(realms)).toEqual([{ id: realmId }]);
    for (const { filter, keeps } of list.filters) {
      const kept = everything.filter(keeps).length;
      expect([filter, kept > 0, kept < everything.length]).toEqual([filter, true, true]);
    }

    const draws = createDraws(7);
    for (let round = 0; round < 60; round++) {
      const narrowing = draws.oneOf([undefined, ...list.filters]);
      const keys = Object.keys(list.keys);
      const sort = [draws.oneOf(keys), draws.oneOf(keys)]
        .filter((key, index, both) => both.indexOf(key) === index)
        .slice(0, draws.below(3))
        .map((key) => ({ key, direction: draws.oneOf(["asc", "desc"] as const) }));
      const filter = narrowing?.filter ?? {};
      const limit = 1 + draws.below(25);
      const kept = everything.filter((item) => narrowing?.keeps(item) ?? true);

      const found: string[] = [];
      for (let offset = 0; offset <= kept.length; offset += limit) {
        const page = await ask({ limit, offset, filter, sort });
        expect(page.total).toBe(kept.length);
        expect(page.items.length).toBe(Math.min(limit, kept.length - offset));
        found.push(...page.items.map(({ id }) => id));
      }
      expect({ sort, filter, found }).toEqual({ sort, filter, found: sorted(kept, list, sort) });
    }
  });
});
