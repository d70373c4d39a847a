import { beforeAll, expect, test } from "vitest";
import * as statusCounts from "../../../../../db/queries/certificates/status-counts.ts";
import { sql, type Sql } from "../../../../../db/sql.ts";
import { clockWithinAnHour } from "../../../../support/run/moved-clock.ts";
import { useApi } from "../../../../support/service/api.ts";

const clock = clockWithinAnHour();
const api = useApi({ clock });
const { as, given, database } = api;
const hour = 3_600_000;
const week = 7 * 24 * hour;
const current = Math.floor(clock.now().getTime() / hour) * hour;

/** Records responses to one address in the hour that began the given number of hours ago. */
const counted = (realmId: string, hoursAgo: number, { address = "192.0.2.7", good = 0, refused = 0 }) =>
  database.owner.query(sql`
    insert into status_counts (realm_id, hour, address, good, refused, last_at)
    values (${realmId}, ${new Date(current - hoursAgo * hour)}, ${address}, ${good}, ${refused},
            ${new Date(current - hoursAgo * hour + 1_000)})
  `);

const pictureOf = async (realmId: string) => {
  const { status, body } = await as.service({ realmId }).get("/api/overview/radius");
  expect(status).toBe(200);
  return body.data;
};

test("a realm without status requests has 168 empty hours and no server", async () => {
  const { hours, servers } = await pictureOf(await given.realm());
  const none = { good: 0, refused: 0 };
  expect(hours).toEqual(
    Array.from({ length: 168 }, (_, index) => ({
      from: new Date(current - (167 - index) * hour).toISOString(),
      ...none,
      weekBefore: none,
    })),
  );
  expect(servers).toEqual([]);
});

test("each hour has the sums of all servers, and the sums of the same hour a week before", async () => {
  const realmId = await given.realm();
  await counted(realmId, 0, { good: 5, refused: 1 });
  await counted(realmId, 0, { address: "::", good: 2 });
  await counted(realmId, 168, { good: 7 });
  await counted(realmId, 167, { good: 3, address: "2001:db8::1" });
  await counted(realmId, 335, { refused: 4 });
  await counted(realmId, 336, { good: 100 });
  const { hours, servers } = await pictureOf(realmId);
  expect(hours.at(-1)).toMatchObject({ good: 7, refused: 1, weekBefore: { good: 7, refused: 0 } });
  expect(hours[0]).toMatchObject({ good: 3, refused: 0, weekBefore: { good: 0, refused: 4 } });
  expect(hours.reduce((sum: number, { good }: { good: number }) => sum + good, 0)).toBe(10);
  const lastAt = new Date(current + 1_000).toISOString();
  expect(servers).toEqual([
    { address: "192.0.2.7", isServer: true, good: 5, refused: 1, lastAt },
    { address: null, isServer: true, good: 2, refused: 0, lastAt },
    {
      address: "2001:db8::1",
      isServer: true,
      good: 3,
      refused: 0,
      lastAt: new Date(current - 167 * hour + 1_000).toISOString(),
    },
  ]);
});

/** The id of the last of three realms, each with 35 days of counts from eight servers. */
let crowded: string;
beforeAll(async () => {
  for (let n = 0; n < 3; n++) {
    crowded = await given.realm();
    await database.owner.query(sql`
      insert into status_counts (realm_id, hour, address, good, refused, last_at)
      select ${crowded}, hour, ('192.0.2.' || server)::inet, 10, 1, hour
        from generate_series(${new Date(current)}::timestamptz - interval '35 days' + interval '1 hour', ${new Date(current)},
                             interval '1 hour') as hour,
             generate_series(1, 8) as server
    `);
  }
  await database.owner.query(sql`vacuum analyze status_counts`);
});

test("of the realm's 35 days of counts only two weeks are read, by index", async () => {
  const { hours, servers } = await pictureOf(crowded);
  expect(hours).toEqual(
    Array.from({ length: 168 }, () => expect.objectContaining({ good: 80, weekBefore: { good: 80, refused: 8 } })),
  );
  expect(servers).toHaveLength(8);

  const db = database.open("realmpass_api");
  const plans: string[] = [];
  const watched = {
    ...db,
    async query(statement: Sql) {
      const lines = await db.query<{ "QUERY PLAN": string }>(sql`explain ${statement}`);
      plans.push(lines.map((line) => line["QUERY PLAN"]).join("\n"));
      return [];
    },
  };
  const from = new Date(current - week);
  await statusCounts.listHours(watched, { realmId: crowded, from });
  await statusCounts.listServers(watched, { realmId: crowded, from, limit: 64 });
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan).toMatch(/Index Cond: \(\(realm_id = .*\) AND \(hour >= /);
    expect(plan).not.toContain("Seq Scan");
  }
});
