import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { only } from "../../../../../db/client.ts";
import { sql } from "../../../../../db/sql.ts";
import type { Role } from "../../../../../domain/people/roles.ts";
import { revocationsPerHourMax } from "../../../../../domain/limits.ts";
import { driveJobs, givenJob, jobOf } from "../../../../support/given/bulk-jobs.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi, type ApiAnswer, type Caller } from "../../../../support/service/api.ts";

/**
 * Tests how much of a realm can be removed within an hour, by any kind of removal, before a caller has to confirm the
 * number.
 */

const api = useApi();
const { as, given } = api;
const jobs = driveJobs(() => api.database.open("realmpass_worker"));

/** Makes people with one active profile each. */
async function givenProfiles(realmId: string, count: number): Promise<{ serials: string[]; userIds: string[] }> {
  const rows = await api.database.owner.query<{ serial: string; userId: string }>(sql`
    with people as (
      insert into users (realm_id, pairwise_id, created_at)
      select ${realmId}::bigint, 'owner-' || gen_random_uuid(), now() from generate_series(1, ${count}::integer)
      returning id
    )
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type, authable,
                              identity, certificate, spki_sha256, created_at, not_before, not_after)
    select ${realmId}, i.id, '1' || lpad(abs(hashtextextended(gen_random_uuid()::text, 0))::text, 20, '0') || p.id,
           gen_random_uuid(), 'user', p.id, 'laptop', 'Linux', false, gen_random_uuid()::text, 'x',
           sha256(gen_random_uuid()::text::bytea), now(), now(), now() + interval '1 year'
      from people as p
      join issuers i on i.realm_id = ${realmId}
    returning serial_number as serial, user_id as "userId"
  `);
  return { serials: rows.map(({ serial }) => serial), userIds: rows.map(({ userId }) => userId) };
}

async function givenRealm(
  count: number,
): Promise<{ realmId: string; serials: string[]; userIds: string[]; admin: Caller }> {
  const realmId = await given.realm();
  return { realmId, ...(await givenProfiles(realmId, count)), admin: as.admin({ realmId }) };
}

const activeIn = async (realmId: string): Promise<number> =>
  only(
    await api.database.owner.query<{ active: number }>(sql`
      select count(*)::integer as active from certificates where realm_id = ${realmId} and revoked_at is null
    `),
  ).active;

const bulk = "/api/profiles/bulk";
const revokeAll = (who: Caller, profiles: readonly string[], more: object = {}): Promise<ApiAnswer> =>
  who.delete(bulk, { profiles, ...more });

/** Expects a refusal that asks for confirmation of this number, in its text and in a field. */
function expectAsked(answer: ApiAnswer, total: number): void {
  expect(answer).toBeError("confirmation_required");
  expect(answer.body.error_description).toMatch(new RegExp(`^${total} people and profiles `));
  expect(answer.body.fields).toEqual([{ path: "confirmTotal", reason: String(total) }]);
}

/** Moves all counted removals back by 61 minutes. */
const letAnHourPass = (realmId: string) =>
  api.database.owner.query(sql`
    update recent_removals set minute = minute - interval '61 minutes' where realm_id = ${realmId}
  `);

describe("revoking more than the realm's share in one request", () => {
  test("requires the number and revokes nothing without it", async () => {
    const { realmId, serials, admin } = await givenRealm(257);
    const most = serials.slice(0, 154);

    expectAsked(await revokeAll(admin, most), 154);
    expectAsked(await revokeAll(admin, most, { confirmTotal: 153 }), 154);
    expect(await activeIn(realmId)).toBe(257);

    expect(await revokeAll(admin, most, { confirmTotal: 154 })).toMatchObject({ status: 200, body: { data: true } });
    expect(await activeIn(realmId)).toBe(103);
  });

  test("also accepts the number from the query", async () => {
    const { realmId, serials, admin } = await givenRealm(150);
    const answer = await admin.delete(`${bulk}?confirmTotal=101`, { profiles: serials.slice(0, 101) });
    expect(answer.status).toBe(200);
    expect(await activeIn(realmId)).toBe(49);
  });

  test("needs no confirmation up to the share, or for up to a hundred profiles", async () => {
    const large = await givenRealm(1_000);
    expect((await revokeAll(large.admin, large.serials.slice(0, 200))).status).toBe(200);
    expectAsked(await revokeAll(large.admin, large.serials.slice(200, 201)), 201);
    const small = await givenRealm(120);
    expect((await revokeAll(small.admin, small.serials.slice(0, 100))).status).toBe(200);
  });

  test("depends on the share that the realm sets: at 100 percent no confirmation is required", async () => {
    const { realmId, serials, admin } = await givenRealm(150);
    await api.database.owner.query(sql`update realms set offboarding_share_percent = 100 where id = ${realmId}`);
    expect((await revokeAll(admin, serials)).status).toBe(200);
  });
});

interface Way {
  /** How many people and profiles are removed in this way. */
  count: number;
  run: (admin: Caller, realmId: string, confirmed: object) => Promise<() => Promise<ApiAnswer>>;
}

const ways: Record<string, Way> = {
  "a profile": {
    count: 1,
    async run(admin, realmId, confirmed) {
      const [serial = ""] = (await givenProfiles(realmId, 1)).serials;
      return () => admin.delete(`/api/profiles/${serial}`, confirmed);
    },
  },
  "several profiles": {
    count: 3,
    async run(admin, realmId, confirmed) {
      const { serials } = await givenProfiles(realmId, 3);
      return () => revokeAll(admin, serials, confirmed);
    },
  },
  "a person": {
    count: 1,
    async run(admin, realmId, confirmed) {
      const { id } = await given.user({ realmId });
      return () => admin.delete(`/api/user/${id}`, confirmed);
    },
  },
  "a person with a grace period": {
    count: 1,
    async run(admin, realmId, confirmed) {
      const [id = ""] = (await givenProfiles(realmId, 1)).userIds;
      return () => admin.delete(`/api/user/${id}`, { graceDays: 3, ...confirmed });
    },
  },
  "a guest account": {
    count: 2,
    async run(admin, realmId, confirmed) {
      const { id } = await given.guestAccount({ realmId });
      for (let made = 0; made < 2; made++) await given.profile({ realmId }, { guestAccountId: id });
      return () => admin.delete(`/api/guest-accounts/${id}`, confirmed);
    },
  },
  "a guest's profile": {
    count: 1,
    async run(admin, realmId, confirmed) {
      const { id: guestAccountId } = await given.guestAccount({ realmId });
      const serial = await given.profile({ realmId }, { guestAccountId });
      return () => admin.delete(`/api/guest-profile/${serial}`, confirmed);
    },
  },
  "a server's certificate": {
    count: 1,
    async run(admin, realmId, confirmed) {
      const serial = await given.profile({ realmId }, { kind: "infrastructure" });
      return () => admin.delete(`/api/infrastructure-profile/${serial}`, confirmed);
    },
  },
};

describe.each(Object.entries(ways))("%s", (_, { count, run }) => {
  test("counts together with other revocations of the last hour", async () => {
    const { realmId, serials, admin } = await givenRealm(130);
    const act = await run(as.service({ realmId }), realmId, {});
    // Control: alone this removal needs no confirmation.
    const alone = await givenRealm(130);
    expect((await (await run(alone.admin, alone.realmId, {}))()).status).toBe(200);

    expect((await revokeAll(admin, serials.slice(0, 100))).status).toBe(200);
    const active = await activeIn(realmId);
    expectAsked(await act(), 100 + count);
    expect(await activeIn(realmId)).toBe(active);

    const confirmed = await run(as.service({ realmId }), realmId, { confirmTotal: 100 + count });
    expect((await confirmed()).status).toBe(200);
  });

  test("counts when a later request revokes profiles", async () => {
    const { realmId, serials, admin } = await givenRealm(130);
    expect((await (await run(admin, realmId, {}))()).status).toBe(200);
    expectAsked(await revokeAll(admin, serials.slice(0, 100)), 100 + count);
  });
});

test("a guest account counts with the number of its profiles", async () => {
  const { realmId, admin } = await givenRealm(3);
  const { id } = await given.guestAccount({ realmId });
  for (let made = 0; made < 101; made++) await given.profile({ realmId }, { guestAccountId: id });
  expectAsked(await admin.delete(`/api/guest-accounts/${id}`), 101);
  expect((await admin.delete(`/api/guest-accounts/${id}`, { confirmTotal: 101 })).status).toBe(200);
});

test("moving a guest account's end to within the next hour counts as revoking its profiles", async () => {
  const { realmId, admin } = await givenRealm(3);
  const { id } = await given.guestAccount({ realmId });
  for (let made = 0; made < 101; made++) await given.profile({ realmId }, { guestAccountId: id });
  const move = (minutes: number, confirmed: object = {}) =>
    admin.put(`/api/guest-accounts/${id}`, { expirationDate: fromNow(minutes * 60_000).toISOString(), ...confirmed });

  expectAsked(await move(50), 101);
  // Control: a later end needs no confirmation.
  expect((await move(70)).status).toBe(200);
  expect((await move(50, { confirmTotal: 101 })).status).toBe(200);
});

describe("the count of the hour", () => {
  test("forgets revocations after an hour", async () => {
    const { realmId, serials, admin } = await givenRealm(210);
    expect((await revokeAll(admin, serials.slice(0, 100))).status).toBe(200);
    expectAsked(await revokeAll(admin, serials.slice(100, 200)), 200);
    await letAnHourPass(realmId);
    expect((await revokeAll(admin, serials.slice(100, 200))).status).toBe(200);
  });

  test("excludes confirmed revocations, so that later ones need no confirmation", async () => {
    const { serials, admin } = await givenRealm(257);
    expect((await revokeAll(admin, serials.slice(0, 154), { confirmTotal: 154 })).status).toBe(200);
    expect((await revokeAll(admin, serials.slice(154, 200))).status).toBe(200);
  });

  test("counts nothing twice: neither revoked profiles, nor a repeat with the same key", async () => {
    const { serials, admin } = await givenRealm(150);
    const headers = { "idempotency-key": randomUUID() };
    for (let sent = 0; sent < 3; sent++) {
      const answer = await admin.delete(bulk, { profiles: serials.slice(0, 60) }, { headers });
      expect(answer.status).toBe(200);
    }
    expect((await revokeAll(admin, serials.slice(0, 60))).status).toBe(200);
    expect((await revokeAll(admin, serials.slice(60, 100))).status).toBe(200);
    // Control: the next revocation is too many, and revoked profiles still need no confirmation.
    expectAsked(await revokeAll(admin, serials.slice(100, 101)), 101);
    expect((await revokeAll(admin, serials.slice(0, 100))).status).toBe(200);
  });

  test("excludes revocations of users' own profiles, which are never refused", async () => {
    const { realmId, serials, admin } = await givenRealm(150);
    const owner = await given.user({ realmId });
    const own = [await given.profile(owner), await given.profile(owner)];
    const [first = "", second = ""] = own;
    expect((await as.user(owner).delete(`/api/profile/${first}`)).status).toBe(200);
    expect((await revokeAll(admin, serials.slice(0, 100))).status).toBe(200);
    expectAsked(await admin.delete(`/api/profiles/${second}`), 101);
    expect((await as.user(owner).delete(`/api/profile/${second}`)).status).toBe(200);
  });

  test("is separate for each realm", async () => {
    const [one, other] = [await givenRealm(120), await givenRealm(120)];
    expect((await revokeAll(one.admin, one.serials.slice(0, 100))).status).toBe(200);
    expect((await revokeAll(other.admin, other.serials.slice(0, 100))).status).toBe(200);
  });

  test("admits one of two concurrent requests", async () => {
    const { realmId, serials, admin } = await givenRealm(130);
    const second = as.service({ realmId });
    await Promise.all([admin.get("/api/realm"), second.get("/api/realm")]);
    const answers = await Promise.all([
      revokeAll(admin, serials.slice(0, 60)),
      revokeAll(second, serials.slice(60, 120)),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await activeIn(realmId)).toBe(70);
  });
});

describe("bulk jobs that revoke a hundred profiles each", () => {
  const rowsOf = (userIds: readonly string[]) => userIds.map((userId) => ({ userId }));
  const offboarding = (realmId: string, userIds: readonly string[]) =>
    givenJob(api.database.owner, { realmId, kind: "offboarding", rows: rowsOf(userIds) });

  test("need confirmation of their own number from the second job on, and run once it is confirmed", async () => {
    const { realmId, serials, userIds, admin } = await givenRealm(330);
    const first = await offboarding(realmId, userIds.slice(0, 100));
    await jobs.run(first);
    expect(await jobOf(api.database.owner, first)).toMatchObject({ state: "completed", changed: 100 });

    const second = await offboarding(realmId, userIds.slice(100, 200));
    await jobs.run(second);
    expect(await jobOf(api.database.owner, second)).toMatchObject({
      state: "ready",
      errorCode: "confirmation_required",
    });
    expect(await activeIn(realmId)).toBe(230);
    expect(await admin.post(`/api/jobs/${second}/start`, {})).toBeError("confirmation_required");
    expectAsked(await revokeAll(admin, serials.slice(200, 210)), 110);

    expect((await admin.post(`/api/jobs/${second}/start`, { confirmTotal: 100 })).status).toBe(202);
    await jobs.run(second);
    expect(await jobOf(api.database.owner, second)).toMatchObject({ state: "completed", changed: 100 });
  });

  test("wait for confirmation if other revocations between check and run used up the hundred allowed without confirmation", async () => {
    const { realmId, serials, admin } = await givenRealm(330);
    const rows = serials.slice(100, 200).map((serialNumber) => ({ serialNumber }));
    const job = await givenJob(api.database.owner, { realmId, kind: "revocation", rows, dryRun: true });
    await jobs.run(job);
    expect((await admin.post(`/api/jobs/${job}/start`, {})).body.data).toMatchObject({ state: "queued" });
    expect((await revokeAll(admin, serials.slice(0, 100))).status).toBe(200);

    await jobs.run(job);

    expect(await jobOf(api.database.owner, job)).toMatchObject({ state: "ready", errorCode: "confirmation_required" });
    expect(await activeIn(realmId)).toBe(230);
    expect((await admin.post(`/api/jobs/${job}/start`, { confirmTotal: 100 })).status).toBe(202);
    await jobs.run(job);
    expect(await activeIn(realmId)).toBe(130);
  });
});

describe("a user whose roles do not allow bulk jobs", () => {
  const staff = async (realmId: string, role: Role) => as.user(await given.user({ realmId, roles: [role] }));

  test("can revoke only a few profiles an hour, one by one or together", async () => {
    const { realmId, serials, admin } = await givenRealm(257);
    const helpDesk = await staff(realmId, "help_desk");

    expect(await revokeAll(helpDesk, serials.slice(0, 154))).toBeError("revocation_limit_reached");
    expect(await revokeAll(helpDesk, serials.slice(0, 154), { confirmTotal: 154 })).toBeError(
      "revocation_limit_reached",
    );
    expect(await activeIn(realmId)).toBe(257);

    expect((await revokeAll(helpDesk, serials.slice(0, revocationsPerHourMax - 1))).status).toBe(200);
    const [last = "", next = ""] = serials.slice(revocationsPerHourMax);
    expect((await helpDesk.delete(`/api/profiles/${last}`)).status).toBe(200);
    expect(await helpDesk.delete(`/api/profiles/${next}`)).toBeError("revocation_limit_reached");
    expect(await activeIn(realmId)).toBe(257 - revocationsPerHourMax);

    // Control: another member of the help desk can still revoke, and so can an administrator.
    expect((await (await staff(realmId, "help_desk")).delete(`/api/profiles/${next}`)).status).toBe(200);
    expect((await revokeAll(admin, serials.slice(100, 130))).status).toBe(200);
  });

  test("cannot revoke more by concurrent requests", async () => {
    const { realmId, serials } = await givenRealm(257);
    const helpDesk = await staff(realmId, "help_desk");
    await helpDesk.get("/api/profiles");
    const answers = await Promise.all(serials.slice(0, 40).map((serial) => helpDesk.delete(`/api/profiles/${serial}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(revocationsPerHourMax);
  });

  test("can revoke any number of their own profiles", async () => {
    const { realmId, serials } = await givenRealm(60);
    const person = await given.user({ realmId, roles: ["help_desk"] });
    const [first, second] = [await given.profile(person), await given.profile(person)];
    const own = as.user(person);
    expect((await own.delete(`/api/profile/${first}`)).status).toBe(200);
    expect((await revokeAll(own, serials.slice(0, revocationsPerHourMax))).status).toBe(200);
    expect((await own.delete(`/api/profile/${second}`)).status).toBe(200);
    expect(await own.delete(`/api/profiles/${String(serials[30])}`)).toBeError("revocation_limit_reached");
  });

  test("can end a guest account with two profiles, which counts as one revocation", async () => {
    const { realmId } = await givenRealm(3);
    const manager = await staff(realmId, "guest_manager");
    for (let ended = 0; ended < revocationsPerHourMax; ended++) {
      const { id } = await given.guestAccount({ realmId });
      await given.profile({ realmId }, { guestAccountId: id });
      await given.profile({ realmId }, { guestAccountId: id });
      expect((await manager.delete(`/api/guest-accounts/${id}`)).status).toBe(200);
    }
    const { id } = await given.guestAccount({ realmId });
    expect(await manager.delete(`/api/guest-accounts/${id}`)).toBeError("revocation_limit_reached");
  });

  test.each([
    [59, false],
    [61, true],
  ])("can revoke again %i minutes after reaching the limit: %s", async (minutes, over) => {
    const { realmId, serials } = await givenRealm(30);
    const person = await given.user({ realmId, roles: ["help_desk"] });
    await api.database.owner.query(sql`
      insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
      select ${realmId}::bigint, now() - make_interval(mins => ${minutes}::integer), 'profile_revoke', ${person.id}::bigint, null,
             '{"serial": "1", "user": "2"}'
        from generate_series(1, ${revocationsPerHourMax}::integer)
    `);
    const answer = await as.user(person).delete(`/api/profiles/${String(serials[0])}`);
    expect(answer.status).toBe(over ? 200 : 409);
  });
});
