import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import * as users from "../../../../db/queries/people/users.ts";
import { sql } from "../../../../db/sql.ts";
import { markExpired } from "../../../../worker/upkeep/upkeep.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { fromNow, givenRows, type GivenUser } from "../../../support/given/given.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const minute = 60_000;
let worker: Database;
let api: Database;
let realmId: string;
let user: GivenUser;

beforeAll(() => {
  worker = database.open("realmpass_worker");
  api = database.open("realmpass_api");
});
beforeEach(async () => {
  realmId = await given.realm();
  user = await given.user({ realmId });
});

/** Returns how many profiles the list counts for a user, found by filtering the list by each count. */
async function listedCount({ id }: GivenUser, at = fromNow(0)): Promise<number | undefined> {
  for (const count of [0, 1, 2, 3, 4, 5]) {
    const filter = { minProfileCount: count, maxProfileCount: count };
    const { items } = await users.list(api, { realmId, at, page: { limit: 100, offset: 0, filter, sort: [] } });
    if (items.some((item) => item.id === id)) return count;
  }
  return undefined;
}

const runOut = (at: Date) => markExpired({ db: worker, clock: { now: () => at } });
const revoke = (serialNumbers: readonly string[]) =>
  api.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, now(), 4 from certificates where serial_number = any(${serialNumbers}::text[])
    on conflict do nothing
  `);

test("a new user has a count of 0, each profile adds one, and a revoked profile no longer counts", async () => {
  expect(await listedCount(user)).toBe(0);
  const serials = [await given.profile(user), await given.profile(user), await given.profile(user)];
  expect(await listedCount(user)).toBe(3);

  await revoke(serials.slice(0, 2));
  await revoke(serials.slice(0, 2));
  expect(await listedCount(user)).toBe(1);
});

test("infrastructure and guest profiles do not count for any user", async () => {
  await given.profile({ realmId }, { kind: "infrastructure" });
  const { id: guestAccountId } = await given.guestAccount({ realmId });
  await revoke([await given.profile({ realmId }, { guestAccountId })]);
  expect(await listedCount(user)).toBe(0);
});

describe("an expired profile", () => {
  test("is subtracted by upkeep only once, however often upkeep runs, even if the profile is revoked later", async () => {
    const ending = await given.profile(user, { notAfter: fromNow(minute) });
    await given.profile(user);
    await given.profile(user);
    await runOut(fromNow(0));
    expect(await listedCount(user)).toBe(3);

    await runOut(fromNow(2 * minute));
    await runOut(fromNow(3 * minute));
    expect(await listedCount(user)).toBe(2);
    await revoke([ending]);
    expect(await listedCount(user)).toBe(2);
  });

  test("is not subtracted again if it was revoked before", async () => {
    const ending = await given.profile(user, { notAfter: fromNow(minute) });
    await revoke([ending]);
    await runOut(fromNow(2 * minute));
    expect(await listedCount(user)).toBe(0);
  });

  test("still counts if upkeep dies before it commits, and is subtracted the next time", async () => {
    await given.profile(user, { notAfter: fromNow(minute) });
    const dying: Database = {
      ...worker,
      transaction: (run) =>
        worker.transaction(async (tx) => {
          await run(tx);
          throw new Error("died");
        }),
    };
    await expect(markExpired({ db: dying, clock: { now: () => fromNow(2 * minute) } })).rejects.toThrow("died");
    expect(await listedCount(user)).toBe(1);
    await runOut(fromNow(2 * minute));
    expect(await listedCount(user)).toBe(0);
  });

  test("is subtracted in every realm, even with many of them", async () => {
    const elsewhere = await given.user({ realmId: await given.realm() });
    await given.profile(elsewhere, { notAfter: fromNow(minute) });
    await database.owner.query(sql`
      insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, identity, certificate,
                                spki_sha256, created_at, not_before, not_after)
      select ${realmId}, (select min(id) from issuers where realm_id = ${realmId}), '9' || ${realmId}::text || i, gen_random_uuid(),
             'user', ${user.id}, 'one of many', 'x', 'x', sha256((${realmId} || ' ' || i)::bytea), now(), now(),
             ${fromNow(minute)}
        from generate_series(1, 5100) as i
    `);
    await runOut(fromNow(2 * minute));
    const rows = await database.owner.query<{ count: number }>(sql`
      select profile_count as count from user_profile_counts where user_id in (${user.id}, ${elsewhere.id})
    `);
    expect(rows).toEqual([{ count: 0 }, { count: 0 }]);
  });
});

test("a revocation and upkeep at the same moment subtract a profile once", async () => {
  for (let round = 0; round < 20; round++) {
    const serial = await given.profile(user, { notAfter: fromNow(minute) });
    await Promise.all([revoke([serial]), runOut(fromNow(2 * minute)), runOut(fromNow(2 * minute))]);
    await runOut(fromNow(2 * minute));
    expect(await listedCount(user)).toBe(0);
  }
});

test("simultaneous batches with the same people neither deadlock nor lose a count", async () => {
  const people = await Promise.all(Array.from({ length: 20 }, () => given.user({ realmId })));
  const batch = (name: string) => {
    const ids = people.map(({ id }) => id).sort(() => (name.endsWith("1") ? 1 : -1));
    return database.owner.query(sql`
      insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, identity, certificate,
                                spki_sha256, created_at, not_before, not_after)
      select ${realmId}, (select min(id) from issuers where realm_id = ${realmId}), '8' || id || ${name}::text, gen_random_uuid(),
             'user', id, 'laptop', 'x', 'x', sha256((id || ' ' || ${name}::text)::bytea), now(), now(), ${fromNow(60 * minute)}
        from unnest(${ids}::bigint[]) as id
    `);
  };
  await Promise.all(["01", "12", "21", "32"].map(batch));
  for (const person of people) expect(await listedCount(person)).toBe(4);
});
