import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type TestApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { auditOf as ofJob } from "../../../../support/given/bulk-jobs.ts";
import { eventually } from "../../../../support/run/eventually.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";
import { givenIssuance, givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { expectEnded, expectGoingOn, redeem, stateOf } from "../../../../support/given/session-state.ts";

const api = useApi();
const { as, given } = api;
const linux = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
const hour = 3_600_000;
let other: Awaited<ReturnType<TestApi["another"]>>;
let both: { url: string }[];

beforeAll(async () => {
  other = await api.another();
  both = [api, other];
});

const profilesOf = (userId: string) =>
  api.database.owner.query<{ serial: string; reason: number | null }>(sql`
    select serial_number as serial, revocation_reason as reason from certificates where user_id = ${userId} order by id
  `);

test.each([
  [undefined, 5],
  [{ reason: 3 }, 3],
  [{ Reason: 9 }, 9],
])(
  "a request with %j revokes every active profile with reason %d, and writes one audit entry",
  async (body, reason) => {
    const user = await given.user({ realmId: api.realmId });
    const admin = as.admin();
    const [expired, revoked, ...active] = [
      await given.profile(user, { createdAt: fromNow(-2 * hour), notAfter: fromNow(-hour) }),
      await given.profile(user),
      await given.profile(user),
      await given.profile(user),
    ];
    await admin.delete(`/api/profiles/${revoked}`, { reason: 1 });

    expect(await admin.delete(`/api/user/${user.id}`, body)).toMatchObject({
      status: 200,
      body: { result: "ok", code: 200, data: true },
    });

    expect(await profilesOf(user.id)).toEqual([
      { serial: expired, reason: null },
      { serial: revoked, reason: 1 },
      ...active.map((serial) => ({ serial, reason })),
    ]);
    expect((await admin.get(`/api/user/${user.id}`)).body.data).toMatchObject({
      blacklisted: true,
      blacklistDate: expect.any(String),
      profileCount: 0,
    });
    expect(await auditOf(api.database, "userID", user.id)).toMatchObject([
      { event: "user_offboard", properties: { reason, profiles: 2, serials: active } },
    ]);
  },
);

test("all the user's sessions end immediately in every process, and other users' sessions continue", async () => {
  const user = await given.user({ realmId: api.realmId });
  const session = await given.session({ user });
  const others = await given.session({ user: await given.user(user), clientId: session.clientId });
  await given.login(user);
  await given.signInLink(user);

  await as.admin().delete(`/api/user/${user.id}`);

  await expectEnded(both, session);
  await expectGoingOn(both, others);
  const [left] = await api.database.owner.query(sql`
    select (select count(*) from sessions where user_id = ${user.id})::integer as sessions,
           (select count(*) from logins where user_id = ${user.id})::integer as logins,
           (select count(*) from access_tokens where user_id = ${user.id})::integer as tokens,
           (select count(*) from sign_in_links where user_id = ${user.id})::integer as links
  `);
  expect(left).toEqual({ sessions: 0, logins: 0, tokens: 0, links: 0 });
  expect((await as.admin().get(`/api/user/${user.id}/sessions`)).body.data).toEqual([]);
});

test("offboarding an offboarded user succeeds and writes nothing, even concurrently", async () => {
  const user = await given.user({ realmId: api.realmId });
  await given.profile(user);
  const callers = [as.service(), other.as.service()];

  const answers = await Promise.all(
    callers.flatMap((caller) => Array.from({ length: 5 }, () => caller.delete(`/api/user/${user.id}`))),
  );

  for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { data: true } });
  expect(await auditOf(api.database, "userID", user.id)).toHaveLength(1);
});

test("a repeat with the same key returns the same response; a repeat with another reason is refused", async () => {
  const user = await given.user({ realmId: api.realmId });
  const service = as.service();
  const headers = { "idempotency-key": "k" };
  const first = await service.delete(`/api/user/${user.id}`, { reason: 1 }, { headers });

  expect((await service.delete(`/api/user/${user.id}`, { reason: 1 }, { headers })).text).toBe(first.text);
  expect(await service.delete(`/api/user/${user.id}`, {}, { headers })).toBeError("idempotency_key_reused");
});

test("administrators can offboard themselves, and their token is refused from then on", async () => {
  const user = await given.user({ realmId: api.realmId, administrator: true });
  await given.user({ realmId: api.realmId, administrator: true });
  const self = as.user(user);

  expect(await self.delete(`/api/user/${user.id}`)).toMatchObject({ status: 200, body: { data: true } });
  expect(await self.get("/api/user")).toBeError("unauthenticated");
});

test.each([{ reason: 2 }, { reason: "5" }, { reason: null }])(
  "a request with %j is refused, and nothing changes",
  async (body) => {
    const user = await given.user({ realmId: api.realmId });
    expect(await as.admin().delete(`/api/user/${user.id}`, body)).toBeError("invalid_request");
    expect((await as.admin().get(`/api/user/${user.id}`)).body.data.blacklisted).toBe(false);
  },
);

test.each(["abc", "0", "999999999", "9".repeat(30)])("the user %s is not found", async (id) => {
  expect(await as.admin().delete(`/api/user/${id}`)).toBeError("user_not_found");
});

describe("the user's pending issuances", () => {
  test("fail, and waiting clients are notified immediately, in every process", async () => {
    const [user, stays] = [await given.user({ realmId: api.realmId }), await given.user({ realmId: api.realmId })];
    const create = async ({ id }: GivenUser) => {
      const headers = { prefer: "wait=60" };
      const answer = as.service().post(`/api/user/${id}/profiles/laptop`, linux, { headers });
      await eventually(async () => {
        const rows = await api.database.owner.query(sql`select 1 as one from issuances where user_id = ${id}`);
        expect(rows).toHaveLength(1);
      });
      return { answer };
    };
    // Control: the wait for another user's profile, which began earlier, continues.
    const control = await create(stays);
    let isOver = false;
    void control.answer.finally(() => (isOver = true));
    const waiting = await create(user);

    await other.as.admin().delete(`/api/user/${user.id}`);

    expect(await waiting.answer).toBeError("user_offboarded");
    expect(isOver).toBe(false);
    await as.admin().delete(`/api/user/${stays.id}`);
    expect(await control.answer).toBeError("user_offboarded");
  });

  test("release the serial numbers that a worker had already assigned", async () => {
    const user = await given.user({ realmId: api.realmId });
    const id = await givenIssuance(api.database.owner, { realmId: api.realmId, userId: user.id });
    await api.database.owner.query(sql`
      update issuances
         set status = 'signing', claim_id = gen_random_uuid(), lease_expires_at = now() + interval '1 minute',
             serial_number = '77', identity = 'x@example.org', not_before = now(), not_after = now() + interval '1 day',
             issuer_id = (select id from issuers where realm_id = ${api.realmId})
       where id = ${id}
    `);

    await as.admin().delete(`/api/user/${user.id}`);

    const rows = await api.database.owner.query(sql`
      select i.status, i.error_code, a.serial_number
        from issuances i
        join abandoned_serial_numbers a on a.issuance_id = i.id
       where i.id = ${id}
    `);
    expect(rows).toEqual([{ status: "failed", error_code: "user_offboarded", serial_number: "77" }]);
  });

  test("leave no active profile, with running workers and in any order of requests", async () => {
    const { realmId } = await givenIssuingRealm(api.database.owner, { maxProfiles: 50 });
    await api.startWorker();
    const service = as.service({ realmId });
    for (let round = 0; round < 5; round++) {
      const user = await given.user({ realmId });
      const creations = Array.from({ length: 8 }, (_, index) =>
        service.post(`/api/user/${user.id}/profiles/laptop-${index}`, linux),
      );
      if (round % 2 === 1) await Promise.race(creations);
      const offboarded = await other.as.service({ realmId }).delete(`/api/user/${user.id}`);

      expect(offboarded.status).toBe(200);
      for (const answer of await Promise.all(creations)) expect([200, 403]).toContain(answer.status);
      expect((await profilesOf(user.id)).filter(({ reason }) => reason === null)).toEqual([]);
      expect(
        await api.database.owner.query(sql`
          select id from issuances where user_id = ${user.id} and status in ('queued', 'signing')
        `),
      ).toEqual([]);
    }
  });
});

test("a code or refresh token that is used during the offboarding gives no lasting access", async () => {
  for (let round = 0; round < 10; round++) {
    const user = await given.user({ realmId: api.realmId });
    const session = await given.session({ user });
    const [exchange, state, offboarded] = await Promise.all([
      redeem(api, session),
      stateOf(other, session),
      as.service().delete(`/api/user/${user.id}`),
    ]);

    expect(offboarded.status).toBe(200);
    expect([200, 400]).toContain(exchange.status);
    expect(["taken", "invalid_grant"]).toContain(state.refreshToken);
    await expectEnded(both, session);
    if (exchange.status === 200) {
      const { access_token: accessToken, refresh_token: refreshToken } = exchange.body;
      await expectEnded(both, { ...session, accessToken, refreshToken });
    }
  }
});

describe("with a grace period", () => {
  const day = 24 * hour;

  test("the user is locked out immediately and keeps their devices, under a job that an undo can cancel", async () => {
    const user = await given.user({ realmId: api.realmId });
    const serial = await given.profile(user);
    const admin = as.admin();

    const answer = await admin.delete(`/api/user/${user.id}`, { graceDays: 7 });

    expect(answer).toMatchObject({ status: 200, body: { data: true } });
    const job = (await admin.get(answer.headers.location!)).body.data;
    expect(job).toMatchObject({
      kind: "offboarding",
      state: "grace",
      origin: "user",
      graceDays: 7,
      total: 1,
      done: 0,
    });
    expect(Date.parse(job.revokeAt) - Date.parse(job.startedAt)).toBe(7 * day);
    expect((await admin.get(`/api/user/${user.id}`)).body.data).toMatchObject({ blacklisted: true, profileCount: 1 });
    expect(await profilesOf(user.id)).toEqual([{ serial, reason: null }]);
    expect((await admin.get(`/api/jobs/${job.id}/results`)).body.data).toMatchObject([
      { row: 1, userID: user.id, status: "working" },
    ]);
    expect((await ofJob(api.database.owner, job.id)).map(({ event }) => event)).toEqual([
      "job_create",
      "user_offboard",
    ]);
    expect((await admin.get(`/api/jobs/${job.id}/undo`)).body.data).toMatchObject({ people: 1, devicesKept: 1 });
  });

  test("no job is created for a user without devices", async () => {
    const user = await given.user({ realmId: api.realmId });
    const answer = await as.admin().delete(`/api/user/${user.id}`, { graceDays: 7 });
    expect(answer).toMatchObject({ status: 200, body: { data: true } });
    expect(answer.headers.location).toBeUndefined();
    expect((await as.admin().get(`/api/user/${user.id}`)).body.data).toMatchObject({ blacklisted: true });
  });

  test("a repeat with the same key returns the same job", async () => {
    const user = await given.user({ realmId: api.realmId });
    await given.profile(user);
    const headers = { "idempotency-key": `grace-${user.id}` };
    const admin = as.admin();
    const first = await admin.delete(`/api/user/${user.id}`, { graceDays: 7 }, { headers });
    const again = await admin.delete(`/api/user/${user.id}`, { graceDays: 7 }, { headers });
    expect(again.headers.location).toBe(first.headers.location);
  });

  test("a repeat leaves the job unchanged; a request with another number of days replaces it with a new job", async () => {
    const user = await given.user({ realmId: api.realmId });
    await given.profile(user);
    const admin = as.admin();
    const locationOf = async (graceDays: number) =>
      (await admin.delete(`/api/user/${user.id}`, { graceDays })).headers.location;

    const first = await locationOf(7);
    expect(await locationOf(7)).toBe(first);
    const other = await locationOf(3);
    expect(other).not.toBe(first);
    expect((await admin.get(`/api/user/${user.id}/provisioning`)).body.data).toMatchObject({
      offboarding: {
        state: "grace",
        job: other?.split("/").at(-1),
        since: expect.any(String),
        revokeAt: expect.any(String),
      },
    });
  });

  test("the devices can still be revoked immediately", async () => {
    const user = await given.user({ realmId: api.realmId });
    const serial = await given.profile(user);
    await as.admin().delete(`/api/user/${user.id}`, { graceDays: 7 });
    await as.admin().delete(`/api/user/${user.id}`);
    expect(await profilesOf(user.id)).toEqual([{ serial, reason: 5 }]);
  });

  test.each([{ graceDays: 0 }, { graceDays: 31 }, { graceDays: "7" }, { graceDays: 7, reason: 3 }])(
    "%j is refused and changes nothing",
    async (body) => {
      const user = await given.user({ realmId: api.realmId });
      await given.profile(user);
      expect(await as.admin().delete(`/api/user/${user.id}`, body)).toBeError("invalid_request");
      expect((await as.admin().get(`/api/user/${user.id}`)).body.data).toMatchObject({ blacklisted: false });
    },
  );

  test("in the query it is refused and changes nothing: the devices would go offline at once", async () => {
    const user = await given.user({ realmId: api.realmId });
    const serial = await given.profile(user);
    expect(await as.admin().delete(`/api/user/${user.id}?graceDays=7`)).toBeError("invalid_request");
    expect((await as.admin().get(`/api/user/${user.id}`)).body.data).toMatchObject({ blacklisted: false });
    expect(await profilesOf(user.id)).toEqual([{ serial, reason: null }]);
  });
});
