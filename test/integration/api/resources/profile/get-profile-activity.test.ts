import { beforeAll, describe, expect, test } from "vitest";
import * as revocations from "../../../../../db/operations/revocations.ts";
import { sql } from "../../../../../db/sql.ts";
import { givenActivity } from "../../../../support/given/activity.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi, type ApiAnswer } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const made = givenActivity(() => api.database.owner);
const hour = 3_600_000;
const day = 24 * hour;

beforeAll(() => made.asker(api.realmId));

const activityOf = (serial: string, who = as.service()): Promise<ApiAnswer> =>
  who.get(`/api/profiles/${serial}/activity`);
const profileOf = async (options: Parameters<typeof given.profile>[1] = {}) => {
  const user = await given.user({ realmId: api.realmId, email: "ada@campus.example" });
  return { user, serial: await given.profile(user, { createdAt: fromNow(-9 * day), ...options }) };
};

test("the activity shows the profile's facts and its owner", async () => {
  const { user, serial } = await profileOf({ name: "my phone", deviceType: "Android" });
  await made.check(serial, fromNow(-hour));

  const { body, status } = await activityOf(serial);
  expect({ status, data: body.data }).toEqual({
    status: 200,
    data: {
      serial,
      kind: "user",
      name: "my phone",
      deviceType: "Android",
      state: "active",
      identity: expect.stringMatching(/@example\.org$/),
      issuedAt: expect.any(String),
      expiresAt: expect.any(String),
      lastCheck: { at: expect.any(String), result: "good" },
      firstCheckAt: body.data.lastCheck.at,
      firstRefusedAt: null,
      otherCheckAt: null,
      realmChecks: { servers: 1, lastAt: expect.any(String) },
      deliveredAt: null,
      delivery: "unknown",
      revocation: null,
      app: null,
      replaces: null,
      replacedBy: null,
      diagnosis: {
        code: "good",
        serial,
        since: body.data.lastCheck.at,
        text: expect.stringMatching(/^The certificate was good on /),
        detail: { at: body.data.lastCheck.at },
        next: ["give_identity"],
      },
      owner: {
        userID: user.id,
        pairwiseID: expect.any(String),
        email: "ada@campus.example",
        displayName: null,
        state: "active",
        profileCount: 1,
      },
      guestAccount: null,
    },
  });
});

test("the activity of a revoked profile shows its first check and its first refusal", async () => {
  const { serial } = await profileOf();
  const [seen, refused] = [fromNow(-3 * hour), fromNow(1_000)];
  await made.check(serial, seen);
  await as.service().delete(`/api/profiles/${serial}`);
  await made.check(serial, refused);
  await made.check(serial, fromNow(hour));
  expect((await activityOf(serial)).body.data).toMatchObject({
    firstCheckAt: seen.toISOString(),
    firstRefusedAt: refused.toISOString(),
    lastCheck: { result: "revoked" },
  });
});

describe("the diagnoses of “not on the Wi-Fi”", () => {
  test("report that the profile has expired", async () => {
    const { serial } = await profileOf({ notAfter: fromNow(-hour) });
    await made.check(serial, fromNow(-2 * hour));
    expect((await activityOf(serial)).body.data).toMatchObject({
      state: "expired",
      diagnosis: {
        code: "expired",
        text: expect.stringMatching(/^Valid until .* Renewal works only before the end\.$/),
      },
    });
  });

  test("report that the profile was revoked, with actor and reason", async () => {
    const { user, serial } = await profileOf();
    const own = await profileOf();
    const admin = await given.user({ realmId: api.realmId, administrator: true, email: "becker@campus.example" });
    expect((await as.user(admin).delete(`/api/profiles/${serial}`, { reason: 1 })).status).toBe(200);
    expect((await as.user(own.user).delete(`/api/profile/${own.serial}`)).status).toBe(200);

    const { data } = (await activityOf(serial)).body;
    expect(data).toMatchObject({
      state: "revoked",
      owner: { userID: user.id },
      revocation: {
        reason: 1,
        how: "single",
        by: { kind: "person", name: "becker@campus.example", userID: admin.id },
        auditID: expect.stringMatching(/^\d+$/),
      },
      diagnosis: {
        code: "revoked",
        text: expect.stringMatching(
          /^Revoked by becker@campus\.example on .*, reason: device or key in the wrong hands\. No attempt seen since\.$/,
        ),
      },
    });
    const entry = await as.service().get(`/api/audit?filter[about]=profile:${serial}`);
    expect(entry.body.data).toMatchObject([{ id: data.revocation.auditID, event: "profile_revoke" }]);

    expect((await activityOf(own.serial)).body.data).toMatchObject({
      revocation: { how: "single", by: { kind: "owner" } },
      diagnosis: { code: "revoked", text: expect.stringMatching(/^Revoked by the owner on /) },
    });
  });

  test("do not change when the user is locked", async () => {
    const user = await given.user({ realmId: api.realmId, lockedAt: fromNow(-hour) });
    const serial = await given.profile(user);
    await made.check(serial, fromNow(-hour));
    expect((await activityOf(serial)).body.data).toMatchObject({
      owner: { state: "locked" },
      diagnosis: { code: "good" },
    });
  });

  test("report that the user was offboarded, with actor", async () => {
    const { user, serial } = await profileOf();
    const admin = await given.user({ realmId: api.realmId, administrator: true, email: "becker@campus.example" });
    expect((await as.user(admin).delete(`/api/user/${user.id}`)).status).toBe(200);
    expect((await activityOf(serial)).body.data).toMatchObject({
      revocation: { how: "offboarding", by: { kind: "person", userID: admin.id } },
      diagnosis: {
        code: "offboarded",
        text: expect.stringMatching(/^Access ended on .* by becker@campus\.example; all profiles were revoked\.$/),
        next: ["reactivate", "set_up_anew"],
      },
    });
  });

  test("do not change during a grace period of an offboarding", async () => {
    const { user, serial } = await profileOf();
    await made.check(serial, fromNow(-hour));
    expect((await as.admin().delete(`/api/user/${user.id}`, { graceDays: 7 })).status).toBe(200);
    expect((await activityOf(serial)).body.data).toMatchObject({
      state: "active",
      owner: { state: "offboarded" },
      diagnosis: { code: "good" },
    });
  });

  test("report that no status request has arrived yet", async () => {
    const { serial } = await profileOf();
    expect((await activityOf(serial)).body.data).toMatchObject({
      lastCheck: null,
      diagnosis: {
        code: "never_asked",
        text: expect.stringMatching(/^No RADIUS server has asked about this profile since it was created on /),
      },
    });
  });

  test("report a status request with the response good, and silence since then", async () => {
    const { serial } = await profileOf();
    await made.check(serial, fromNow(-hour));
    expect((await activityOf(serial)).body.data.diagnosis).toMatchObject({ code: "good" });
    await made.check(serial, fromNow(-2 * day));
    expect((await activityOf(serial)).body.data.diagnosis).toMatchObject({
      code: "silent",
      text: expect.stringMatching(/^The last good check was on .*; none seen since\.$/),
    });
  });

  test("report a status request after the revocation", async () => {
    const { serial } = await profileOf();
    await as.admin().delete(`/api/profiles/${serial}`);
    await made.check(serial, fromNow(1_000));
    expect((await activityOf(serial)).body.data).toMatchObject({
      lastCheck: { result: "revoked" },
      diagnosis: { code: "revoked_tried", text: expect.stringMatching(/; the device tried on .* and was refused\.$/) },
    });
  });

  test("are not shown for another realm's profile, which gets the same 404 as an unknown serial number", async () => {
    const serial = await given.profile(await given.user({ realmId: await given.realm() }));
    const foreign = await activityOf(serial);
    expect(foreign).toBeError("profile_not_found");
    const unknown = await activityOf("4711");
    const { request_id: _, ...body } = foreign.body;
    const { request_id: __, ...expected } = unknown.body;
    expect(body).toEqual(expected);
  });

  test("report a replacement once upkeep has revoked the renewed profile", async () => {
    const { user, serial } = await profileOf();
    const successor = await given.profile(user);
    await made.issuanceOf(successor, { renews: serial });
    expect((await activityOf(successor)).body.data).toMatchObject({ replaces: serial });
    expect((await activityOf(serial)).body.data).toMatchObject({
      replacedBy: successor,
      diagnosis: { code: "never_asked" },
    });

    const revoked = await api.database.owner.transaction((tx) =>
      revocations.revokeMany(tx, {
        realmId: api.realmId,
        serialNumbers: [serial],
        kind: "user",
        reason: 4,
        actor: { userId: null, clientId: null },
        at: fromNow(0),
      }),
    );
    expect(revoked).toEqual({ outcome: "done", revoked: 1 });
    expect((await activityOf(serial)).body.data).toMatchObject({
      revocation: { how: "renewal", by: { kind: "service", name: null } },
      diagnosis: {
        code: "replaced",
        detail: { serial: successor },
        text: expect.stringContaining(`the new one is …${successor.slice(-4)}.`),
        next: ["open_successor"],
      },
    });
  });
});

describe("the download of the file", () => {
  test("is shown as missing before it has happened", async () => {
    const { serial } = await profileOf();
    await made.issuanceOf(serial);
    await made.output(serial, { collectedAt: null });
    expect((await activityOf(serial)).body.data).toMatchObject({
      delivery: "not_fetched",
      deliveredAt: null,
      diagnosis: { code: "not_fetched", next: ["download_again"] },
    });
  });

  test("is shown with its time, also after the file is erased", async () => {
    const { serial } = await profileOf();
    await made.issuanceOf(serial);
    await made.output(serial, { collectedAt: fromNow(-day) });
    const { data } = (await activityOf(serial)).body;
    expect(data).toMatchObject({ delivery: "fetched", deliveredAt: expect.any(String) });
  });

  test("is unknown for a bulk job", async () => {
    const { serial } = await profileOf();
    await made.issuanceOf(serial);
    const jobId = await given.job({ realmId: api.realmId, state: "ready" });
    await made.output(serial, { collectedAt: null, jobId });
    expect((await activityOf(serial)).body.data).toMatchObject({ delivery: "unknown", deliveredAt: null });
  });
});

test("the activity reports that the realm has no status requests", async () => {
  const realmId = await given.realm();
  const serial = await given.profile(await given.user({ realmId }));
  const activity = async () => (await activityOf(serial, as.service({ realmId }))).body.data;
  expect(await activity()).toMatchObject({
    realmChecks: { servers: 0, lastAt: null },
    diagnosis: { code: "nobody_asks", text: "No RADIUS server is known to have asked this service." },
  });
  await made.asker(realmId, { at: fromNow(-25 * hour) });
  expect(await activity()).toMatchObject({ realmChecks: { servers: 0 }, diagnosis: { code: "nobody_asks" } });
});

test("the activity reports that an issuer's CRL has expired", async () => {
  const realmId = await given.realm();
  const serial = await given.profile(await given.user({ realmId }));
  await api.database.owner.query(sql`
    insert into crls (issuer_id, number, this_update, next_update, entries, size, tag, head, pieces, tail, last_piece)
    select id, 1, now() - interval '2 days', now() - interval '1 hour', 0, 1, 't', '', '{}', '', 0
      from issuers where realm_id = ${realmId}
  `);
  expect((await activityOf(serial, as.service({ realmId }))).body.data.diagnosis).toMatchObject({ code: "list_ended" });
});

describe("the actor of a revocation", () => {
  test("is found for every profile of an offboarding, even beyond those that the audit entry lists", async () => {
    const user = await given.user({ realmId: api.realmId });
    const serials = [];
    for (let n = 0; n < revocations.serialsMax + 1; n++) serials.push(await given.profile(user));
    await as.service().delete(`/api/user/${user.id}`);
    for (const serial of serials) {
      expect((await activityOf(serial)).body.data.revocation).toMatchObject({
        how: "offboarding",
        by: { kind: "application", name: expect.stringMatching(/^application /), client_id: expect.any(String) },
      });
    }
  });

  test("is found for the end of a guest account and for one of its profiles", async () => {
    const account = await given.guestAccount({ realmId: api.realmId, name: "workshop" });
    const [single, other] = [
      await given.profile(account, { guestAccountId: account.id }),
      await given.profile(account, { guestAccountId: account.id }),
    ];
    await as.service().delete(`/api/guest-profile/${single}`);
    await as.service().delete(`/api/guest-accounts/${account.id}`);
    expect((await activityOf(single)).body.data).toMatchObject({
      kind: "guest",
      owner: null,
      guestAccount: { id: account.id, name: "workshop", state: "revoked" },
      revocation: { how: "single", by: { kind: "application" } },
    });
    expect((await activityOf(other)).body.data).toMatchObject({ revocation: { how: "guest_end" } });
  });

  test("is upkeep for guests whose account has expired", async () => {
    const account = await given.guestAccount({ realmId: api.realmId, expiresAt: fromNow(-hour) });
    const serial = await given.profile(account, { guestAccountId: account.id });
    await revocations.revokeOfExpiredGuests(api.database.owner, { at: fromNow(0) });
    expect((await activityOf(serial)).body.data).toMatchObject({
      guestAccount: { state: "expired" },
      revocation: { how: "guest_end", by: { kind: "service", name: null } },
    });
  });
});

describe("scopes", () => {
  test.each([
    ["user", "profile.read"],
    ["guest", "guest.read"],
    ["infrastructure", "infrastructure.read"],
  ] as const)("a profile of the kind %s requires the scope %s and is not found without it", async (kind, scope) => {
    const user = await given.user({ realmId: api.realmId });
    const account = await given.guestAccount({ realmId: api.realmId });
    const serial = await given.profile(user, kind === "guest" ? { guestAccountId: account.id } : { kind });
    expect(await activityOf(serial, as.service({ scopes: [scope] }))).toMatchObject({
      status: 200,
      body: { data: { kind } },
    });
    const all = ["profile.read", "guest.read", "infrastructure.read", "user.read"] as const;
    const others = as.service({ scopes: all.filter((each) => each !== scope) });
    expect(await activityOf(serial, others)).toBeError("profile_not_found");
  });

  test("without user.read, no user is named", async () => {
    const { user, serial } = await profileOf();
    const admin = await given.user({ realmId: api.realmId, administrator: true, email: "becker@campus.example" });
    await as.user(admin).delete(`/api/profiles/${serial}`);
    const answer = await activityOf(serial, as.service({ scopes: ["profile.read"] }));
    expect(answer.body.data).toMatchObject({
      owner: { userID: user.id },
      diagnosis: { text: expect.stringMatching(/^Revoked by another person on /) },
    });
    expect(answer.text).not.toMatch(/campus\.example/);
  });
});
