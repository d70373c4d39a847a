import { randomUUID } from "node:crypto";
import { Registry } from "prom-client";
import { beforeAll, describe, expect, test } from "vitest";
import { createAcceptance } from "../../../../../api/resources/profile/accept-together.ts";
import type { AcceptProfile } from "../../../../../api/contract/deps.ts";
import { openDatabase } from "../../../../../db/client.ts";
import type { ProfileRequest } from "../../../../../db/operations/acceptance.ts";
import { sql } from "../../../../../db/sql.ts";
import { operatorActor } from "../../../../../domain/audit/audit.ts";
import { createLoadMetrics } from "../../../../../process/load-metrics.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { givenRows, type GivenUser } from "../../../../support/given/given.ts";
import { useDatabase } from "../../../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const quiet = { debug: () => undefined };
const metrics = createLoadMetrics(new Registry());

let realmId: string;
let accept: AcceptProfile;

beforeAll(async () => {
  realmId = await given.realm({ maxProfiles: 3 });
  accept = createAcceptance({ db: database.open("realmpass_api"), log: quiet, metrics });
});

const request = (user: GivenUser, wanted: Partial<ProfileRequest> = {}): ProfileRequest => ({
  id: randomUUID(),
  realmId: user.realmId,
  userId: user.id,
  name: "laptop",
  deviceType: "Linux",
  format: "pem",
  allowAuth: false,
  actor: operatorActor,
  at: systemClock.now(),
  requestId: randomUUID(),
  ...wanted,
});

const acceptedOf = async ({ id }: GivenUser): Promise<string[]> => {
  const rows = await database.owner.query<{ id: string }>(sql`select id from issuances where user_id = ${id}`);
  return rows.map((row) => row.id);
};

test("each of many concurrent requests gets its own response", async () => {
  const at = new Date(0);
  const full = await given.user({ realmId, profileOverride: 1 });
  await given.profile(full);
  const user = await given.user({ realmId });
  const wanted = [
    request(user),
    request(await given.user({ realmId, lockedAt: at })),
    request(await given.user({ realmId, lockedAt: at, offboardedAt: at })),
    request(full),
    request({ id: "999999999", realmId }),
    request({ ...user, realmId: await given.realm() }),
    request(await given.user({ realmId: await given.realm({ issuerEndsInDays: null }) })),
    request(await given.user({ realmId: await given.realm({ issuerEndsInDays: 300 }) })),
  ];

  expect(await Promise.all(wanted.map(accept))).toEqual([
    undefined,
    "user_locked",
    "user_offboarded",
    "profile_limit_reached",
    "user_not_found",
    "user_not_found",
    "no_issuer",
    "issuer_expiring",
  ]);
  const rows = await database.owner.query<{ id: string }>(
    sql`select id from issuances where id = any(${wanted.map(({ id }) => id)}::uuid[])`,
  );
  expect(rows).toEqual([{ id: wanted[0]!.id }]);
});

test("an accepted request yields the same row as a request sent alone", async () => {
  await database.owner.query(sql`update realms set key_types = '{"iOS": "rsa-3072"}' where id = ${realmId}`);
  const user = await given.user({ realmId, profileOverride: 20 });
  const asked: Partial<ProfileRequest>[] = [
    {},
    { deviceType: "iOS" },
    { deviceType: "Android", name: 'a "name", {with} \\ signs' },
    { deviceType: "iOS", keyType: "ec-p256", format: "mobileconfig", allowAuth: true },
    { format: "iwd" },
    { csr: "-----BEGIN CERTIFICATE REQUEST-----\n…", actor: { userId: user.id, clientId: null } },
  ];
  const at = systemClock.now();
  const rowsOf = (ids: readonly string[]) =>
    database.owner.query(sql`
      select to_jsonb(i) - 'id' as row
        from issuances i
       where id = any(${ids}::uuid[])
       order by array_position(${ids}::uuid[], id)
    `);

  const requestId = randomUUID();
  const together = asked.map((wanted) => request(user, { ...wanted, at, requestId }));
  await Promise.all(together.map(accept));
  const alone = asked.map((wanted) => request(user, { ...wanted, at, requestId }));
  const holding = await holdRow(user);
  // Releases the row once accepting the requests together has failed.
  const log = { debug: () => void holding.release() };
  const acceptAlone = createAcceptance({ db: database.open("realmpass_api"), log, metrics });
  expect(await Promise.all(alone.map(acceptAlone))).toEqual(alone.map(() => undefined));

  const rows = await rowsOf(together.map(({ id }) => id));
  expect(rows).toHaveLength(asked.length);
  expect(rows).toEqual(await rowsOf(alone.map(({ id }) => id)));
});

/** Locks the user's row, like another transaction that has changed the row but not committed yet. */
async function holdRow({ id }: GivenUser) {
  let release = (): void => undefined;
  let held = (): void => undefined;
  const holds = new Promise<void>((resolve) => (held = resolve));
  const transaction = database.owner.transaction(async (tx) => {
    await tx.query(sql`select from users where id = ${id} for update`);
    held();
    await new Promise<void>((resolve) => (release = resolve));
  });
  await holds;
  return {
    async release() {
      release();
      await transaction;
    },
  };
}

test("the locked row of one owner does not delay other owners", async () => {
  const [held, free] = await Promise.all([given.user({ realmId }), given.user({ realmId })]);
  const holding = await holdRow(held);

  let isAccepted = false;
  const waiting = accept(request(held)).finally(() => (isAccepted = true));
  expect(await accept(request(free))).toBeUndefined();
  expect(isAccepted).toBe(false);

  await holding.release();
  expect(await waiting).toBeUndefined();
  expect(await acceptedOf(held)).toHaveLength(1);
});

test("a request that the database rejects fails alone", async () => {
  const [first, second, third] = [
    await given.user({ realmId }),
    await given.user({ realmId }),
    await given.user({ realmId }),
  ];
  const outcomes = await Promise.allSettled([
    accept(request(first)),
    accept(request(second, { csr: "x".repeat(16_385) })),
    accept(request(third)),
  ]);

  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await acceptedOf(first)).toHaveLength(1);
  expect(await acceptedOf(second)).toEqual([]);
  expect(await acceptedOf(third)).toHaveLength(1);
});

describe.each([1, 2])("over %i processes", (processes) => {
  test("64 concurrent requests with room for 3 profiles create 3 profiles", async () => {
    const user = await given.user({ realmId });
    const accepts = Array.from({ length: processes }, () =>
      createAcceptance({ db: database.open("realmpass_api"), log: quiet, metrics }),
    );
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) => accepts[index % processes]!(request(user))),
    );

    expect(answers.filter((refusal) => refusal === undefined)).toHaveLength(3);
    expect(answers.filter((refusal) => refusal === "profile_limit_reached")).toHaveLength(61);
    expect(await acceptedOf(user)).toHaveLength(3);
  });

  test("concurrent requests for the same users in different orders all get a response", async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => given.user({ realmId })));
    const accepts = Array.from({ length: processes }, () =>
      createAcceptance({ db: database.open("realmpass_api"), log: quiet, metrics }),
    );
    const orders = Array.from({ length: 6 }, (_, round) => [...users.slice(round), ...users.slice(0, round)]);
    const answers = await Promise.all(
      orders.flatMap((order, round) => order.map((user) => accepts[round % processes]!(request(user)))),
    );

    expect(answers.filter((refusal) => refusal === undefined)).toHaveLength(24);
    expect(new Set(answers)).toEqual(new Set([undefined, "profile_limit_reached"]));
  });
});

test("without the database a request fails as if sent alone", async () => {
  const nowhere = createAcceptance({
    db: openDatabase({
      url: "postgres://nobody@127.0.0.1:1/nowhere",
      connectionsMax: 1,
      applicationName: "realmpass test",
    }),
    log: quiet,
    metrics,
  });
  await expect(nowhere(request(await given.user({ realmId })))).rejects.toMatchObject({ name: "DatabaseUnavailable" });
});

describe("statements of one batch", () => {
  test("run in one transaction, and each gets its result", async () => {
    const rows = await database.owner.pipelined([
      sql`select ${"a"}::text as value, txid_current() as transaction`,
      sql`select ${"b"}::text as value, txid_current() as transaction`,
    ]);
    expect(rows).toMatchObject([[{ value: "a" }], [{ value: "b" }]]);
    expect(new Set(rows.flat().map((row) => (row as { transaction: string }).transaction)).size).toBe(1);
  });

  test("are all rolled back if one statement fails", async () => {
    const user = await given.user({ realmId });
    const change = (email: string) => sql`update users set email = ${email} where id = ${user.id}`;
    await expect(
      database.owner.pipelined([
        change("first@example.org"),
        sql`select 1 / ${0}::integer`,
        change("last@example.org"),
      ]),
    ).rejects.toMatchObject({ code: "22012" });

    expect(await database.owner.query(sql`select email from users where id = ${user.id}`)).toEqual([{ email: "" }]);
    expect(await database.owner.pipelined([sql`select 1 as one`])).toEqual([[{ one: 1 }]]);
  });
});
