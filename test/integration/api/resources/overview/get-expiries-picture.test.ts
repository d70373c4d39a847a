import { expect, test } from "vitest";
import { weeksOfNextYear } from "../../../../../api/resources/overview/get-expiries-picture.ts";
import * as overview from "../../../../../db/queries/realm/overview.ts";
import { sql, type Sql } from "../../../../../db/sql.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given, database } = api;
const day = 86_400_000;
const week = 7 * day;

const weeksOf = async (realmId: string): Promise<{ from: string; until: string; profiles: number }[]> => {
  const { status, body } = await as.service({ realmId }).get("/api/overview/expiries");
  expect(status).toBe(200);
  return body.data.weeks;
};

test("each week of the next year, from Monday in UTC, contains the users' active profiles that expire in it", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const shown = await weeksOf(await given.realm());
  const monday = Date.parse(shown[0]!.from);
  expect(new Date(monday).getUTCDay()).toBe(1);
  expect(systemClock.now().getTime() - monday).toBeLessThan(week);
  const ending = (at: number) => given.profile(user, { notAfter: new Date(at), createdAt: fromNow(-400 * day) });
  await ending(monday + week);
  await ending(monday + 2 * week - 1);
  await ending(monday + 2 * week);
  await ending(monday + shown.length * week - 1);
  await ending(monday + shown.length * week);
  await ending(systemClock.now().getTime() - 1_000);
  const revoked = await ending(monday + week);
  await as.service({ realmId }).delete(`/api/profiles/${revoked}`);
  await given.profile({ realmId }, { kind: "infrastructure", notAfter: new Date(monday + week) });

  const weeks = await weeksOf(realmId);
  expect(weeks[1]).toEqual({
    from: new Date(monday + week).toISOString(),
    until: new Date(monday + 2 * week - 1).toISOString(),
    profiles: 2,
  });
  expect(weeks.map(({ profiles }) => profiles).filter((profiles) => profiles > 0)).toEqual([2, 1, 1]);
  expect(weeks.at(-1)?.profiles).toBe(1);
});

test.each([
  ["Monday", "2026-11-30T00:00:00Z", 53],
  ["Saturday", "2026-11-28T23:59:59Z", 53],
  ["Sunday", "2026-11-29T01:00:00Z", 54],
  ["Saturday before a leap day", "2027-12-04T12:00:00Z", 54],
])("on a %s, a profile made now for 12 months ends in the last week", (_, now, count) => {
  const at = new Date(now);
  const { from, weeks } = weeksOfNextYear(at);
  const end = new Date(at).setUTCFullYear(at.getUTCFullYear() + 1);
  expect(weeks).toBe(count);
  expect(end).toBeGreaterThanOrEqual(from + (weeks - 1) * week);
  expect(end).toBeLessThan(from + weeks * week);
});

test("weeks are counted by index, and only for the realm's active profiles", async () => {
  const realmId = await given.realm();
  await database.owner.query(sql`
    insert into active_profiles (id, realm_id, serial_number, created_at, not_after, device_type, authable)
    select 1000000 + n, ${realmId}, n::text, now() - interval '1 day', now() + n * interval '20 minutes', 'Linux', false
      from generate_series(1, 20000) as n
  `);
  await database.owner.query(sql`vacuum analyze active_profiles`);
  expect((await weeksOf(realmId)).reduce((sum, { profiles }) => sum + profiles, 0)).toBe(20_000);

  const db = database.open("realmpass_api");
  let plan = "";
  await overview.countExpiries(
    {
      ...db,
      async query(statement: Sql) {
        const lines = await db.query<{ "QUERY PLAN": string }>(sql`explain ${statement}`);
        plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
        return [];
      },
    },
    { realmId, at: fromNow(0), from: fromNow(0), weeks: 4 },
  );
  expect(plan).toMatch(/Index.* (?:using|on) active_profiles_ending/);
  expect(plan).toMatch(/Index Cond: \(\(realm_id = .* AND \(not_after > .* AND \(not_after < /);
});
