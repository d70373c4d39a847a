import { expect, test } from "vitest";
import * as audit from "../../../../../db/queries/audit/audit-entries.ts";
import type { AuditEvent } from "../../../../../domain/audit/audit.ts";
import type { Scope } from "../../../../../domain/people/scopes.ts";
import { sql } from "../../../../../db/sql.ts";
import { givenActivity } from "../../../../support/given/activity.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const made = givenActivity(() => api.database.owner);
const hour = 3_600_000;
const day = 24 * hour;

const record = (
  event: AuditEvent,
  { at, properties, user = null }: { at: Date; properties: Record<string, unknown>; user?: GivenUser | null },
): Promise<void> =>
  audit.record(api.database.owner, {
    realmId: api.realmId,
    event,
    actor: { userId: user?.id ?? null, clientId: null },
    at,
    properties,
  });

interface Item {
  at: string;
  type: string;
  by: { kind: string; name: string | null } | null;
  serial: string | null;
  name: string | null;
  auditID: string | null;
  detail: Record<string, unknown>;
}
const timelineOf = async (userId: string, query = ""): Promise<Item[]> =>
  (await as.service({ scopes: ["user.read", "profile.read"] }).get(`/api/user/${userId}/timeline${query}`)).body.data;

test("the timeline requires the scope of each list that it draws on; the help desk and auditors have these scopes", async () => {
  const user = await given.user({ realmId: api.realmId });
  const serial = await given.profile(user);
  await made.check(serial, fromNow(-hour));
  for (const [lacking, held] of [
    ["profile.read", "user.read"],
    ["user.read", "profile.read"],
  ] as const) {
    const answer = await as.service({ scopes: [held] }).get(`/api/user/${user.id}/timeline`);
    expect(answer).toBeError("insufficient_scope");
    expect(answer.headers["www-authenticate"]).toContain(`scope="${lacking}"`);
    expect(answer.text).not.toContain(serial);
  }
  for (const role of ["help_desk", "auditor"] as const) {
    const { status, text } = await as
      .user(given.user({ realmId: api.realmId, roles: [role] }))
      .get(`/api/user/${user.id}/timeline`);
    expect({ status, has: text.includes(serial) }).toEqual({ status: 200, has: true });
  }
});

test("server and guest profiles that a user created are named only with the scopes of their lists", async () => {
  const admin = await given.user({ realmId: api.realmId });
  const acts = [
    ["infrastructure_profile_create", "41", "infrastructure.read"],
    ["guest_profile_revoke", "42", "guest.view"],
    ["profile_create", "43", "profile.read"],
  ] as const;
  for (const [event, serial] of acts) {
    await record(event, { at: fromNow(-hour), user: admin, properties: { serial } });
  }
  const serialsByEvent = async (...scopes: Scope[]): Promise<Record<string, string | null>> => {
    const caller = as.service({ scopes: ["user.read", "profile.read", ...scopes] });
    const items: Item[] = (await caller.get(`/api/user/${admin.id}/timeline`)).body.data;
    return Object.fromEntries(items.map(({ type, serial }) => [type, serial]));
  };
  const all = Object.fromEntries(acts.map(([event, serial]) => [event, serial]));
  const users = { ...all, infrastructure_profile_create: null, guest_profile_revoke: null };
  expect(await serialsByEvent()).toEqual(users);
  expect(await serialsByEvent("infrastructure.read")).toEqual({ ...users, infrastructure_profile_create: "41" });
  expect(await serialsByEvent("guest.view")).toEqual({ ...users, guest_profile_revoke: "42" });
  expect(await serialsByEvent("infrastructure.read", "guest.view")).toEqual(all);
});

test("the timeline has the user's actions and what happened to them, latest first", async () => {
  const user = await given.user({ realmId: api.realmId, email: "ada@campus.example" });
  const admin = await given.user({ realmId: api.realmId, email: "becker@campus.example" });
  const serial = await given.profile(user, { name: "my phone", createdAt: fromNow(-9 * day) });
  const ended = await given.profile(user, { name: "old", createdAt: fromNow(-90 * day), notAfter: fromNow(-5 * day) });
  await record("user_login", { at: fromNow(-8 * day), user, properties: { userID: user.id, method: "local" } });
  await record("profile_create", {
    at: fromNow(-7 * day),
    user,
    properties: { serial, user: user.id, deviceType: "iOS" },
  });
  await made.failure(user, { at: fromNow(-6 * day), error: "no_issuer" });
  await record("user_lock", {
    at: fromNow(-4 * day),
    user: admin,
    properties: { userID: user.id, before: { locked: false, secret: "no words" }, after: { locked: true } },
  });
  await record("client_update", { at: fromNow(-3 * day), user, properties: { clientID: "x", reason: "of another" } });
  await record("profile_revoke", { at: fromNow(-2 * day), properties: { serial, user: user.id, reason: 4 } });
  await made.check(serial, fromNow(-hour));

  const items = await timelineOf(user.id);
  expect(items.map(({ type, by, name, detail }) => ({ type, by, name, detail }))).toEqual([
    { type: "profile_check", by: null, name: "my phone", detail: { result: "good" } },
    { type: "profile_revoke", by: { kind: "service", name: null }, name: "my phone", detail: { reason: 4 } },
    { type: "client_update", by: expect.objectContaining({ kind: "owner" }), name: null, detail: {} },
    {
      type: "user_lock",
      by: { kind: "person", name: "becker@campus.example", userID: admin.id },
      name: null,
      detail: { before: { locked: false }, after: { locked: true } },
    },
    { type: "profile_expire", by: null, name: "old", detail: {} },
    { type: "issuance_fail", by: null, name: null, detail: { error: "no_issuer" } },
    {
      type: "profile_create",
      by: { kind: "owner", name: "ada@campus.example", userID: user.id },
      name: "my phone",
      detail: { deviceType: "iOS" },
    },
    { type: "user_login", by: expect.objectContaining({ kind: "owner" }), name: null, detail: { method: "local" } },
  ]);
  expect(items[4]?.serial).toBe(ended);
  expect(items.filter(({ auditID }) => auditID !== null)).toHaveLength(5);
});

test("pages never split entries of the same time, so each entry is shown exactly once", async () => {
  const user = await given.user({ realmId: api.realmId });
  const times = [-5, -4, -4, -4, -3, -2, -1].map((days) => fromNow(days * day));
  const together = times[1] ?? fromNow(0);
  for (const [index, at] of times.entries()) {
    const isTogether = index > 0 && index < 4;
    await record("user_update", { at: isTogether ? together : at, properties: { userID: user.id, changed: [] } });
  }

  const read: Item[] = [];
  let query = "?limit=2";
  for (;;) {
    const page = await timelineOf(user.id, query);
    if (page.length === 0) break;
    read.push(...page);
    query = `?limit=2&before=${page.at(-1)?.at}`;
  }
  expect(new Set(read.map(({ auditID }) => auditID)).size).toBe(7);
  expect(read).toHaveLength(7);
  expect(read.map(({ at }) => at)).toEqual(
    read
      .map(({ at }) => at)
      .sort()
      .reverse(),
  );
});

test.each(["?limit=0", "?limit=201", "?limit=x", "?before=yesterday"])("%s is refused", async (query) => {
  const { id } = await given.user({ realmId: api.realmId });
  expect(await as.service().get(`/api/user/${id}/timeline${query}`)).toBeError("invalid_request");
});

test("a user of another realm is not found, and entries of another realm do not appear", async () => {
  const realmId = await given.realm();
  const foreign = await given.user({ realmId });
  expect(await as.service().get(`/api/user/${foreign.id}/timeline`)).toBeError("user_not_found");
  const user = await given.user({ realmId: api.realmId });
  await audit.record(api.database.owner, {
    realmId,
    event: "user_lock",
    actor: { userId: user.id, clientId: null },
    at: fromNow(0),
    properties: { userID: user.id },
  });
  expect(await timelineOf(user.id)).toEqual([]);
});

test("a timeline names the other users concerned, and can be limited to the user's actions or to actions that affect the user", async () => {
  const { realmId } = api;
  const helper = await given.user({ realmId, displayName: "Hedy Lamarr" });
  const ada = await given.user({ realmId, pairwiseId: "al-1815", displayName: "Ada Lovelace" });
  const unnamed = await given.user({ realmId, pairwiseId: "nameless-1" });
  await record("user_create", { at: fromNow(-4 * hour), user: helper, properties: { userID: ada.id } });
  await record("user_create", { at: fromNow(-3 * hour), user: helper, properties: { userID: unnamed.id } });
  await record("user_lock", { at: fromNow(-2 * hour), user: ada, properties: { userID: helper.id } });
  await record("consent_withdraw", { at: fromNow(-hour), user: helper, properties: { userID: helper.id } });

  const aboutOf = async (query: string): Promise<unknown[]> =>
    (await timelineOf(helper.id, query)).map((item) => [item.type, (item as unknown as { about: unknown }).about]);
  const withdrawn = ["consent_withdraw", null];
  const locked = ["user_lock", null];
  const created = [
    ["user_create", { userID: unnamed.id, name: "nameless-1" }],
    ["user_create", { userID: ada.id, name: "Ada Lovelace" }],
  ];
  expect(await aboutOf("")).toEqual([withdrawn, locked, ...created]);
  expect(await aboutOf("?side=by")).toEqual([withdrawn, ...created]);
  expect(await aboutOf("?side=about")).toEqual([withdrawn, locked]);
  const refused = await as
    .service({ scopes: ["user.read", "profile.read"] })
    .get(`/api/user/${ada.id}/timeline?side=x`);
  expect(refused).toBeError("invalid_request");
});

test("a forgotten user has no name in other users' timelines", async () => {
  const { realmId } = api;
  const helper = await given.user({ realmId });
  const left = await given.user({
    realmId,
    pairwiseId: "left-1",
    displayName: "Leo Left",
    offboardedAt: fromNow(-90 * day),
  });
  await record("user_offboard", { at: fromNow(-hour), user: helper, properties: { userID: left.id } });
  const about = async () => (await timelineOf(helper.id))[0] as unknown as { about: { name: string | null } };
  expect((await about()).about.name).toBe("Leo Left");
  await api.database.owner.query(sql`update realms set forget_after_months = 1 where id = ${realmId}`);
  await api.database.owner.query(sql`select forget_users(${[left.id]}::bigint[], ${fromNow(0)})`);
  expect(await about()).toMatchObject({ about: { userID: left.id, name: null } });
});
