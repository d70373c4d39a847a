import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { Database } from "../../../../../db/client.ts";
import * as onboardingSteps from "../../../../../db/queries/issuance/onboarding-steps.ts";
import { sql, type Sql } from "../../../../../db/sql.ts";
import { givenActivity } from "../../../../support/given/activity.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given, database } = api;
const made = givenActivity(() => database.owner);
const day = 86_400_000;

const pictureOf = async (realmId: string) => {
  const { status, body } = await as.service({ realmId }).get("/api/overview/onboarding");
  expect(status).toBe(200);
  return body.data.devices;
};

/** Records a waiting issuance of a user. */
const waiting = ({ id, realmId }: { id: string; realmId: string }) =>
  database.owner.query(sql`
    insert into issuances (id, realm_id, kind, user_id, name, device_type, format, key_type, validity_months, created_at)
    values (${randomUUID()}, ${realmId}, 'user', ${id}, 'phone', 'Android', 'pem', 'ec-p256', 12, now())
  `);

test("a realm in which nobody requested a profile lists no kind of device", async () => {
  expect(await pictureOf(await given.realm())).toEqual([]);
});

test("each kind of device shows how many profiles were requested, created, fetched and seen", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const profile = (deviceType: "Android" | "iOS" | "Linux", options = {}) =>
    given.profile(user, { deviceType, ...options });
  const [unfetched, fetched, seen, job] = [
    await profile("Android"),
    await profile("Android"),
    await profile("Android"),
    await profile("Linux"),
  ];
  for (const serial of [unfetched, fetched, seen, job]) await made.issuanceOf(serial);
  await made.output(unfetched, { collectedAt: null });
  for (const serial of [fetched, seen]) await made.output(serial, { collectedAt: fromNow(0) });
  await made.check(seen, fromNow(0));
  await made.output(job, { collectedAt: null, jobId: randomUUID() });
  await made.check(job, fromNow(0));
  await waiting(user);
  await made.failure(user, { at: fromNow(-day), error: "issuance_failed" });
  // The following records do not count.
  await made.failure(user, { at: fromNow(-31 * day), error: "issuance_failed" });
  await profile("iOS", { createdAt: fromNow(-31 * day) });
  await given.profile({ realmId }, { kind: "infrastructure", name: "radius" });
  await given.profile(await given.user({ realmId: await given.realm() }), { deviceType: "Android" });

  expect(await pictureOf(realmId)).toEqual([
    { deviceType: "Android", asked: 4, made: 3, fetched: 2, seen: 1 },
    { deviceType: "Linux", asked: 1, made: 1, fetched: 1, seen: 1 },
    { deviceType: "iOS", asked: 1, made: 0, fetched: 0, seen: 0 },
  ]);
});

/** The id of the last of three realms, each with a year of profiles and failed issuances, a few per day. */
let crowded: string;
beforeAll(async () => {
  for (let n = 0; n < 3; n++) {
    crowded = await given.realm();
    const serial = await given.profile(await given.user({ realmId: crowded }));
    await database.owner.query(sql`
      insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type, identity,
                                certificate, spki_sha256, created_at, not_before, not_after)
      select realm_id, issuer_id, (1000000 + id * 10000 + n)::text, gen_random_uuid(), kind, user_id, 'laptop', device_type,
             identity, certificate, sha256(convert_to(id || ' ' || n, 'UTF8')), date_trunc('second', now()) - make_interval(hours => 4 * n), not_before,
             not_after
        from certificates, generate_series(1, 2000) as n
       where serial_number = ${serial}
    `);
    await database.owner.query(sql`
      insert into issuances (id, realm_id, kind, user_id, name, device_type, format, key_type, validity_months, created_at,
                             status, finished_at, error_code)
      select gen_random_uuid(), realm_id, 'user', user_id, 'phone', 'iOS', 'pem', 'ec-p256', 12, created_at, 'failed',
             created_at, 'issuance_failed'
        from certificates where realm_id = ${crowded}
    `);
  }
  await database.owner.query(sql`vacuum analyze certificates, issuances, issuance_outputs`);
});

/** Makes a database that plans statements instead of running them; `plan` returns the latest plan. */
function planner(): { db: Database; plan: () => string } {
  const db = database.open("realmpass_api");
  let plan = "";
  const watched = {
    ...db,
    async query(statement: Sql) {
      const lines = await db.query<{ "QUERY PLAN": string }>(sql`explain ${statement}`);
      plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
      return [];
    },
  };
  return { db: watched, plan: () => plan };
}

test("if there are too many profiles, only the latest are counted, and the oldest of these is found by index", async () => {
  const api = database.open("realmpass_api");
  const since = fromNow(-30 * day);
  const made = async (from: Date) =>
    (await onboardingSteps.count(api, { realmId: crowded, since: from })).reduce((sum, one) => sum + one.made, 0);
  const all = await made(since);
  expect(all).toBeGreaterThan(100);
  expect(await onboardingSteps.findBound(api, { realmId: crowded, since, most: all })).toBeUndefined();
  const bound = await onboardingSteps.findBound(api, { realmId: crowded, since, most: 100 });
  expect(await made(bound!)).toBe(100);

  const { db, plan } = planner();
  await onboardingSteps.findBound(db, { realmId: crowded, since, most: 100 });
  expect(plan()).toMatch(/Index Only Scan using certificates_newest/);
});

test("30 days of many issuances are read by index, and only for the realm", async () => {
  expect(await pictureOf(crowded)).toHaveLength(2);
  const { db, plan: planned } = planner();
  await onboardingSteps.count(db, { realmId: crowded, since: fromNow(-30 * day) });
  const plan = planned();
  expect(plan).toMatch(/certificates_newest/);
  expect(plan).toMatch(/issuances_failed_of_realm/);
  expect(plan).not.toMatch(/Seq Scan on (?:certificates|issuances)/);
});
