import { beforeAll, describe, expect, test } from "vitest";
import * as audit from "../../../../../db/queries/audit/audit-entries.ts";
import { givenActivity } from "../../../../support/given/activity.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const made = givenActivity(() => api.database.owner);
const hour = 3_600_000;
const day = 24 * hour;

beforeAll(() => made.asker(api.realmId));

const activityOf = async (userId: string, who = as.service()) =>
  (await who.get(`/api/user/${userId}/activity`)).body.data;

test("a user is shown with roles, last sign-in and the active or recently ended profiles, newest first", async () => {
  const user = await given.user({ realmId: api.realmId, administrator: true, email: "ada@campus.example" });
  const at = fromNow(-hour);
  await audit.record(api.database.owner, {
    realmId: api.realmId,
    event: "admin_login",
    actor: { userId: user.id, clientId: null },
    at,
    properties: { userID: user.id, method: "local" },
  });
  const old = await given.profile(user, { createdAt: fromNow(-400 * day), notAfter: fromNow(-91 * day) });
  const ended = await given.profile(user, { createdAt: fromNow(-300 * day), notAfter: fromNow(-89 * day) });
  const active = await given.profile(user, { createdAt: fromNow(-10 * day) });
  await made.check(active, at);

  const data = await activityOf(user.id);
  expect(data).toMatchObject({
    person: { userID: user.id, email: "ada@campus.example", state: "active", profileCount: 1 },
    roles: ["administrator"],
    lastSignIn: at.toISOString(),
    profiles: [
      { serial: active, lastCheck: { at: at.toISOString(), result: "good" }, diagnosis: { code: "good" } },
      { serial: ended, state: "expired", diagnosis: { code: "expired" } },
    ],
    diagnosis: { code: "good", serial: active },
    notes: [],
  });
  expect(JSON.stringify(data)).not.toContain(old);
});

test("at most fifty profiles are shown", async () => {
  const user = await given.user({ realmId: api.realmId });
  for (let n = 0; n < 51; n++) await given.profile(user, { createdAt: fromNow(-n * hour) });
  expect((await activityOf(user.id)).profiles).toHaveLength(50);
});

describe("the diagnosis of a user", () => {
  test("without a profile", async () => {
    const { id } = await given.user({ realmId: api.realmId });
    expect((await activityOf(id)).diagnosis).toEqual({
      code: "no_profile",
      serial: null,
      since: null,
      text: "No active profile.",
      detail: {},
      next: ["set_up_anew"],
    });
  });

  test("whose last issuance failed reports the failure until an issuance succeeds", async () => {
    const user = await given.user({ realmId: api.realmId });
    await given.profile(user, { createdAt: fromNow(-2 * hour) });
    await made.failure(user, { at: fromNow(-hour), error: "no_issuer" });
    expect((await activityOf(user.id)).diagnosis).toMatchObject({
      code: "issuance_failed",
      detail: { error: "no_issuer" },
      next: ["call_operator"],
    });
    const newest = await given.profile(user, { createdAt: fromNow(-60_000) });
    expect((await activityOf(user.id)).diagnosis).toMatchObject({ code: "never_asked", serial: newest });
  });

  test("who is offboarded reports the offboarding, with or without revoked profiles", async () => {
    const [user, owner] = [await given.user({ realmId: api.realmId }), await given.user({ realmId: api.realmId })];
    await given.profile(owner);
    for (const { id } of [user, owner]) {
      await as.service().delete(`/api/user/${id}`);
      expect((await activityOf(id)).diagnosis).toMatchObject({
        code: "offboarded",
        serial: null,
        next: ["reactivate", "set_up_anew"],
      });
    }
  });
});

describe("the result also shows", () => {
  test("a lock, and a reached limit", async () => {
    const user = await given.user({ realmId: api.realmId, lockedAt: fromNow(-hour), profileOverride: 1 });
    const serial = await given.profile(user);
    await made.check(serial, fromNow(-hour));
    expect(await activityOf(user.id)).toMatchObject({
      diagnosis: { code: "good" },
      notes: [
        { code: "locked", since: expect.any(String), text: "Locked: no new profiles. Existing profiles stay valid." },
        { code: "limit_reached" },
      ],
    });
  });

  test("until when a leaver's profiles stay valid", async () => {
    const user = await given.user({ realmId: api.realmId });
    const serial = await given.profile(user);
    await made.check(serial, fromNow(-hour));
    await as.admin().delete(`/api/user/${user.id}`, { graceDays: 7 });
    expect(await activityOf(user.id)).toMatchObject({
      person: { state: "offboarded" },
      diagnosis: { code: "good" },
      notes: [{ code: "in_grace", until: expect.any(String) }],
    });
  });
});

test("both scopes are required, and a user of another realm is not found", async () => {
  const { id } = await given.user({ realmId: api.realmId });
  for (const scopes of [["user.read"], ["profile.read"]] as const) {
    expect(await as.service({ scopes }).get(`/api/user/${id}/activity`)).toBeError("insufficient_scope");
  }
  const foreign = await given.user({ realmId: await given.realm() });
  expect(await as.service().get(`/api/user/${foreign.id}/activity`)).toBeError("user_not_found");
});
