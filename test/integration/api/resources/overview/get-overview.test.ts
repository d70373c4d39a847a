import { describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { useApi, type ApiAnswer } from "../../../../support/service/api.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";
import { givenIssuance } from "../../../../support/given/issuing.ts";
import { givenProcess } from "../../../../support/given/process.ts";
import { givenJob } from "../../../../support/given/bulk-jobs.ts";

const api = useApi();
const { given, database, as } = api;
const hour = 3_600_000;
const day = 24 * hour;

/** Returns the overview that a service gets: a user who requests it would count among the realm's people. */
const overviewOf = async (realmId: string, period?: string): Promise<ApiAnswer["body"]> => {
  const query = period === undefined ? "" : `?period=${period}`;
  const answer = await as.service({ realmId }).get(`/api/overview${query}`);
  expect(answer.status).toBe(200);
  return answer.body.data;
};

const revoke = async (serial: string, at: Date): Promise<void> => {
  await database.owner.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, ${at}::timestamptz, 0 from certificates where serial_number = ${serial}
  `);
};

test("an empty realm has only zeros, and reports what is missing", async () => {
  const realmId = await given.realm({ issuerEndsInDays: null });
  expect(await overviewOf(realmId)).toEqual({
    at: expect.stringMatching(/Z$/),
    profiles: {
      active: 0,
      issued: { last7Days: 0, before: 0 },
      revoked: { last7Days: 0, before: 0 },
      expiring: { within7Days: 0, within30Days: 0 },
    },
    users: { active: 0, locked: 0, offboarded: 0 },
    issuances: { waiting: 0, oldestSeconds: null },
    workers: { alive: 0 },
    revocationLists: [],
    disconnects: false,
    warnings: [
      { warning: "no_worker", issuerID: null, endsAt: null },
      { warning: "no_issuer", issuerID: null, endsAt: null },
    ],
    jobs: { running: 0, items: [], inGrace: [] },
    series: expect.objectContaining({ period: "24h" }),
  });
});

test("disconnects is true if a client has read the revocation feed within five minutes", async () => {
  const asked = async (secondsAgo: number): Promise<boolean> => {
    const realmId = await given.realm();
    const { clientId } = await given.application({ realmId, scopes: ["radius.read"] });
    await database.owner.query(sql`
      insert into revoked_feed_readers (client_id, realm_id, read_at)
      values (${clientId}, ${realmId}, now() - make_interval(secs => ${secondsAgo}))
    `);
    return (await overviewOf(realmId)).disconnects;
  };
  expect(await asked(200)).toBe(true);
  expect(await asked(301)).toBe(false);
});

test("profiles are counted: active now, issued and revoked in this week and the last, and ending soon", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const made = (createdDaysAgo: number, endsInDays = 365): Promise<string> =>
    given.profile(user, { createdAt: fromNow(-createdDaysAgo * day), notAfter: fromNow(endsInDays * day) });
  await made(1);
  await made(2, 6);
  await made(8, 29);
  await made(15, 31);
  await made(400, -1);
  await revoke(await made(3), fromNow(-1 * day));
  await revoke(await made(9), fromNow(-8 * day));
  await revoke(await made(100), fromNow(-13 * day));
  await revoke(await made(100), fromNow(-15 * day));
  // Guests' and servers' profiles do not count here.
  const { id: guestAccountId } = await given.guestAccount({ realmId });
  await given.profile({ realmId }, { guestAccountId });
  await revoke(await given.profile({ realmId }, { kind: "infrastructure" }), fromNow(-1 * day));

  const { profiles } = await overviewOf(realmId);
  expect(profiles).toEqual({
    active: 4,
    issued: { last7Days: 3, before: 2 },
    revoked: { last7Days: 1, before: 2 },
    expiring: { within7Days: 1, within30Days: 2 },
  });
  const listed = await as.service({ realmId }).get("/api/profiles");
  expect(listed.body.total).toBe(profiles.active);
});

test("an expired profile is inactive immediately, even before upkeep has run", async () => {
  const realmId = await given.realm();
  const serial = await given.profile(await given.user({ realmId }));
  await database.owner.query(sql`
    update active_profiles set not_after = now() - interval '1 second' where serial_number = ${serial}
  `);
  expect((await overviewOf(realmId)).profiles.active).toBe(0);
});

test("users are counted in one of three groups each", async () => {
  const realmId = await given.realm();
  await given.user({ realmId });
  await given.user({ realmId, administrator: true });
  await given.user({ realmId, lockedAt: fromNow(0) });
  await given.user({ realmId, offboardedAt: fromNow(0) });
  await given.user({ realmId, lockedAt: fromNow(0), offboardedAt: fromNow(0) });
  expect((await overviewOf(realmId)).users).toEqual({ active: 2, locked: 1, offboarded: 2 });
});

test("waiting issuances are counted with their age; failed issuances are not counted", async () => {
  const realmId = await given.realm();
  const { id: userId } = await given.user({ realmId });
  await givenIssuance(database.owner, { realmId, userId, at: fromNow(-90_000) });
  await givenIssuance(database.owner, { realmId, userId });
  const failed = await givenIssuance(database.owner, { realmId, userId, at: fromNow(-hour) });
  await database.owner.query(sql`
    update issuances set status = 'failed', finished_at = now(), error_code = 'issuance_failed' where id = ${failed}
  `);
  const { issuances } = await overviewOf(realmId);
  expect(issuances.waiting).toBe(2);
  expect(issuances.oldestSeconds).toBeGreaterThanOrEqual(90);
  expect(issuances.oldestSeconds).toBeLessThan(120);
});

test("bulk jobs in progress are counted, and the latest five are listed", async () => {
  const realmId = await given.realm();
  const rows = [{ pairwiseId: "somebody" }];
  const ids: string[] = [];
  for (let index = 0; index < 6; index++) {
    const state = (["checking", "queued", "running", "cancelling", "running", "queued"] as const)[index] ?? "running";
    const createdAt = fromNow(-index * 60_000);
    ids.push(await givenJob(database.owner, { realmId, kind: "onboarding", rows, state, createdAt }));
  }
  for (const state of ["ready", "scheduled"] as const) {
    await givenJob(database.owner, {
      realmId,
      kind: "onboarding",
      rows,
      state,
      ...(state === "scheduled" && { executeAt: fromNow(day) }),
    });
  }
  await given.job({ realmId, state: "completed_with_errors" });
  const { jobs } = await overviewOf(realmId);
  expect(jobs.running).toBe(6);
  expect(jobs.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 5));
  const whole = await as.service({ realmId }).get(`/api/jobs/${ids[2]}`);
  expect(jobs.items[2]).toMatchObject({ id: whole.body.data.id, kind: "onboarding", state: "running" });
});

test("offboardings in a grace period are listed, the earliest to end first, while they still keep a user out", async () => {
  const realmId = await given.realm();
  const admin = as.service({ realmId });
  const leaving = async (graceDays: number) => {
    const user = await given.user({ realmId });
    await given.profile(user);
    await admin.delete(`/api/user/${user.id}`, { graceDays });
    const { body } = await admin.get(`/api/user/${user.id}/provisioning`);
    return { user, job: body.data.offboarding.job as string };
  };
  const [later, back, next] = [await leaving(14), await leaving(3), await leaving(7)];
  await admin.put(`/api/user/${back.user.id}/undelete`);

  const { jobs } = await overviewOf(realmId);
  expect(jobs.running).toBe(0);
  expect(jobs.inGrace.map(({ id }: { id: string }) => id)).toEqual([next.job, later.job]);
  expect(jobs.inGrace[0]).toMatchObject({ state: "grace", total: 1, done: 0, graceDays: 7 });
});

describe("issuers and their CRLs", () => {
  const publish = (issuerId: string, { hoursAgo, validHours = 48 }: { hoursAgo: number; validHours?: number }) =>
    database.owner.query(sql`
      insert into crls (issuer_id, number, this_update, next_update, published_at, entries, size, tag, head, pieces, tail,
                        last_piece)
      values (${issuerId}, 1, ${fromNow(-hoursAgo * hour)}, ${fromNow((validHours - hoursAgo) * hour)},
              ${fromNow(-hoursAgo * hour)}, 0, 10, 'tag', '', '{}', '', 0)
    `);
  const realmWith = async (endsInDays: number) => {
    const realmId = await given.realm({ issuerEndsInDays: null });
    return { realmId, issuerId: await given.issuer(realmId, endsInDays) };
  };

  test.each([
    ["a new one", 1, "fresh"],
    ["one that should have been replaced", 25, "due"],
    ["one that is over", 49, "stale"],
  ] as const)("%s", async (_, hoursAgo, state) => {
    const { realmId, issuerId } = await realmWith(3650);
    await publish(issuerId, { hoursAgo });
    const { revocationLists, warnings } = await overviewOf(realmId);
    expect(revocationLists).toEqual([
      {
        issuerID: issuerId,
        subject: "CN=nobody",
        issuing: true,
        state,
        publishedAt: expect.stringMatching(/Z$/),
        nextUpdate: expect.stringMatching(/Z$/),
      },
    ]);
    expect(warnings.some(({ warning }: { warning: string }) => warning === "crl_stale")).toBe(state === "stale");
  });

  test("a missing CRL is as bad as an expired one", async () => {
    const { realmId, issuerId } = await realmWith(3650);
    const { revocationLists, warnings } = await overviewOf(realmId);
    expect(revocationLists).toMatchObject([
      { issuerID: issuerId, state: "stale", publishedAt: null, nextUpdate: null },
    ]);
    expect(warnings).toContainEqual({ warning: "crl_stale", issuerID: issuerId, endsAt: null });
  });

  test("an issuer that still issues and ends within ninety days causes a warning", async () => {
    const near = await realmWith(89);
    expect((await overviewOf(near.realmId)).warnings).toContainEqual({
      warning: "issuer_ending",
      issuerID: near.issuerId,
      endsAt: expect.stringMatching(/Z$/),
    });
    const far = await realmWith(91);
    expect(JSON.stringify((await overviewOf(far.realmId)).warnings)).not.toContain("issuer_ending");

    const rotated = await realmWith(89);
    await database.owner.query(sql`update issuers set issuing = false where id = ${rotated.issuerId}`);
    const next = await given.issuer(rotated.realmId, 3650);
    const { warnings, revocationLists } = await overviewOf(rotated.realmId);
    expect(JSON.stringify(warnings)).not.toContain("issuer_ending");
    expect(revocationLists.map(({ issuerID, issuing }: Record<string, unknown>) => [issuerID, issuing])).toEqual([
      [next, true],
      [rotated.issuerId, false],
    ]);
  });

  test("an ended issuer is not listed", async () => {
    const { realmId, issuerId } = await realmWith(1);
    await database.owner.query(sql`
      update issuers set not_before = now() - interval '2 days', not_after = now() - interval '1 day' where id = ${issuerId}
    `);
    expect((await overviewOf(realmId)).revocationLists).toEqual([]);
  });
});

test("recently seen workers count as alive", async () => {
  await givenProcess(database.owner, { kind: "worker", silentSeconds: 16 });
  await givenProcess(database.owner, { kind: "api" });
  expect(await overviewOf(await given.realm())).toMatchObject({
    workers: { alive: 0 },
    warnings: expect.arrayContaining([expect.objectContaining({ warning: "no_worker" })]),
  });
  await givenProcess(database.owner, { kind: "worker" });
  const { workers, warnings } = await overviewOf(await given.realm());
  expect(workers).toEqual({ alive: 1 });
  expect(JSON.stringify(warnings)).not.toContain("no_worker");
});

describe("the series", () => {
  test.each([
    ["24h", 24, hour],
    ["7d", 7, day],
    ["30d", 30, day],
  ])("of %s has whole hours or days in UTC, the last one in progress", async (period, count, length) => {
    const realmId = await given.realm();
    const user = await given.user({ realmId });
    const current = Math.floor(systemClock.now().getTime() / length) * length;
    const first = current - (count - 1) * length;
    const madeAt = (at: number): Promise<string> => given.profile(user, { createdAt: new Date(at) });
    await madeAt(first - 1);
    await madeAt(first);
    await madeAt(first + length - 1);
    await madeAt(first + length);
    await madeAt(current);
    await revoke(await madeAt(first - 2), new Date(first - 1));
    await revoke(await madeAt(first - 2), new Date(first));
    await revoke(await madeAt(first - 2), new Date(current));

    const { series } = await overviewOf(realmId, period);
    const buckets = Array.from({ length: count }, (_, index) => ({
      from: new Date(first + index * length).toISOString(),
      issued: [2, 1][index] ?? (index === count - 1 ? 1 : 0),
      revoked: index === 0 || index === count - 1 ? 1 : 0,
    }));
    expect(series).toEqual({ period, bucketSeconds: length / 1_000, buckets });
  });

  test("of another period is refused", async () => {
    const who = as.service();
    for (const period of ["1h", "", "24H", "30d,7d", "__proto__"]) {
      expect(await who.get(`/api/overview?period=${period}`)).toBeError("invalid_request");
    }
  });
});

test("an overview is reused for the same realm and period, and counted separately for another realm or period", async () => {
  const realmId = await given.realm();
  const other = await given.realm();
  const first = await overviewOf(realmId);
  const user: GivenUser = await given.user({ realmId });
  await given.profile(user);
  expect(await overviewOf(realmId)).toEqual(first);
  expect((await overviewOf(realmId, "7d")).users.active).toBe(1);
  await given.user({ realmId: other });
  expect((await overviewOf(other)).users.active).toBe(1);
});

test("a user without a role is refused the overview", async () => {
  const realmId = await given.realm();
  expect(await as.user(given.user({ realmId })).get("/api/overview")).toBeError("forbidden");
});
