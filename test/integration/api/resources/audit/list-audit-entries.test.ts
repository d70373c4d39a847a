import { beforeAll, describe, expect, test } from "vitest";
import * as audit from "../../../../../db/queries/audit/audit-entries.ts";
import type { AuditEvent } from "../../../../../domain/audit/audit.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

const at = (day: number, ms = 0): Date => new Date(Date.UTC(2026, 0, day, 12, 0, 0, ms));
let realmId: string;
let service: Caller;
let userId: string;

beforeAll(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
  ({ id: userId } = await given.user({ realmId }));
  const entries: [event: AuditEvent, at: Date, user: string | null, client: string | null][] = [
    ["user_lock", at(1), userId, "console"],
    ["user_unlock", at(2), userId, null],
    ["client_create", at(3), null, "console"],
    ["user_lock", at(3, 1), null, null],
  ];
  // The entries are recorded one by one, so the order of entries with the same date is that of their ids.
  for (const [event, date, user, clientId] of entries) {
    await audit.record(api.database.owner, {
      realmId,
      event,
      actor: { userId: user, clientId },
      at: date,
      properties: { userID: "5", before: { locked: false }, after: { locked: true } },
    });
  }
  // An entry of another realm, which no list may show.
  await audit.record(api.database.owner, {
    realmId: api.realmId,
    event: "user_lock",
    actor: { userId, clientId: "console" },
    at: at(2),
    properties: {},
  });
});

const eventsOf = (answer: { body: { data: { event: string; date: string }[] } }): string[] =>
  answer.body.data.map(({ event, date }) => `${event} ${date.slice(8, 10)}`);

test("entries are listed newest first, with the specification's fields", async () => {
  const answer = await service.get("/api/audit");

  expect(answer).toMatchObject({ status: 200, body: { result: "ok", code: 200, limit: 100, offset: 0, total: 4 } });
  expect(eventsOf(answer)).toEqual(["user_lock 03", "client_create 03", "user_unlock 02", "user_lock 01"]);
  const entry = answer.body.data.at(-1);
  expect(entry).toEqual({
    id: expect.stringMatching(/^[1-9][0-9]*$/),
    date: "2026-01-01T12:00:00.000Z",
    event: "user_lock",
    properties: expect.any(String),
    realm: Number(realmId),
    user: Number(userId),
    client: "console",
  });
  expect(JSON.parse(entry.properties)).toEqual({ userID: "5", before: { locked: false }, after: { locked: true } });
  expect(answer.body.data[0]).toMatchObject({ user: null, client: null });
});

test("GET with a body, GET with a query and POST return the same list", async () => {
  const page = { limit: 2, offset: 1, filter: { event: "user_lock,user_unlock" }, sort: { date: "asc" } };
  const posted = await service.post("/api/audit", page);
  expect(eventsOf(posted)).toEqual(["user_unlock 02", "user_lock 03"]);
  expect(posted.body.total).toBe(3);
  expect((await service.get("/api/audit", { body: page })).text).toBe(posted.text);
  const query = "?limit=2&offset=1&filter[event]=user_lock,user_unlock&sort[date]=asc";
  expect((await service.get(`/api/audit${query}`)).text).toBe(posted.text);
});

test("with include=people, which requires user.read, the list describes the realm's actors and affected users", async () => {
  const own = await given.realm();
  const [lena, max] = [await given.user({ realmId: own, email: "lena@x.example" }), await given.user({ realmId: own })];
  const stranger = await given.user({ realmId });
  for (const properties of [
    { userID: max.id },
    { user: max.id, serial: "1" },
    { userID: stranger.id },
    { user: "x" },
  ]) {
    await audit.record(api.database.owner, {
      realmId: own,
      event: "profile_revoke",
      actor: { userId: lena.id, clientId: null },
      at: at(20),
      properties,
    });
  }
  const { body } = await as.service({ realmId: own }).get("/api/audit?include=people");
  expect(body.total).toBe(4);
  expect(Object.keys(body.people).sort()).toEqual([lena.id, max.id].sort());
  expect(body.people[lena.id]).toEqual({
    pairwiseID: expect.any(String),
    email: "lena@x.example",
    displayName: null,
    state: "active",
  });
  expect((await service.get("/api/audit")).body.people).toBeUndefined();

  const blind = as.user(given.user({ realmId: own, administrator: true }), {
    scopes: allScopes.filter((scope) => scope !== "user.read"),
  });
  expect((await blind.get("/api/audit")).status).toBe(200);
  expect(await blind.get("/api/audit?include=people")).toBeError("insufficient_scope");
  expect(await service.get("/api/audit?include=everybody")).toBeError("invalid_request");
});

describe("filters", () => {
  test.each<[filter: () => object, expected: string[]]>([
    [() => ({ event: "client_create" }), ["client_create 03"]],
    [() => ({ event: "client_create, user_unlock" }), ["client_create 03", "user_unlock 02"]],
    [() => ({ event: "job_create" }), []],
    [() => ({ minDate: "2026-01-02T12:00:00Z" }), ["user_lock 03", "client_create 03", "user_unlock 02"]],
    [() => ({ maxDate: "2026-01-02T12:00:00.000Z" }), ["user_unlock 02", "user_lock 01"]],
    [() => ({ minDate: "2026-01-02", maxDate: "2026-01-03" }), ["user_unlock 02"]],
    [() => ({ user: userId }), ["user_unlock 02", "user_lock 01"]],
    [() => ({ client: "console" }), ["client_create 03", "user_lock 01"]],
    [() => ({ client: "console", user: userId, event: "user_lock" }), ["user_lock 01"]],
    [() => ({ client: "Console" }), []],
    [() => ({ user: "999999999" }), []],
  ])("%#", async (filter, expected) => {
    const answer = await service.post("/api/audit", { filter: filter() });
    expect(eventsOf(answer)).toEqual(expected);
    expect(answer.body.total).toBe(expected.length);
  });
});

describe("entries about", () => {
  let about: string;
  let account: string;

  beforeAll(async () => {
    about = await given.realm();
    ({ id: account } = await given.guestAccount({ realmId: about }));
    const entries: [event: AuditEvent, properties: Record<string, unknown>][] = [
      ["user_lock", { userID: "64" }],
      ["profile_revoke", { serial: "4711", user: "64", reason: 1 }],
      ["user_offboard", { userID: "65", serials: ["4712", "4713"] }],
      ["guest_account_update", { guestAccountID: account }],
      ["client_update", { clientID: "portal" }],
      ["job_finish", { job: "64" }],
    ];
    for (const [index, [event, properties]] of entries.entries()) {
      const actor = { userId: "64", clientId: null };
      await audit.record(api.database.owner, { realmId: about, event, actor, at: at(1, index), properties });
    }
  });

  test.each<[about: () => string, expected: string[]]>([
    [() => "user:64", ["profile_revoke", "user_lock"]],
    [() => "profile:4711", ["profile_revoke"]],
    [() => "profile:4713", ["user_offboard"]],
    [() => `guest:${account}`, ["guest_account_update"]],
    [() => "application:portal", ["client_update"]],
    [() => "user:65, application:portal", ["client_update", "user_offboard"]],
    [() => "user:66", []],
  ])("%s", async (subjects, expected) => {
    const list = await as.service({ realmId: about }).post("/api/audit", { filter: { about: subjects() } });
    expect(list.body.data.map(({ event }: { event: string }) => event)).toEqual(expected);
    expect(list.body.total).toBe(expected.length);
    const file = await as
      .service({ realmId: about })
      .get(`/api/audit/export?filter[about]=${encodeURIComponent(subjects())}`);
    const lines = file.text.split("\n").filter((line) => line !== "");
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([...expected].reverse());
  });

  test("a user can be limited to one event", async () => {
    const filter = { about: "user:64", event: "user_lock" };
    const list = await as.service({ realmId: about }).post("/api/audit", { filter });
    expect(list.body).toMatchObject({ total: 1, data: [{ event: "user_lock" }] });
  });

  test("another realm's subjects are not shown", async () => {
    expect((await service.post("/api/audit", { filter: { about: "user:64" } })).body.total).toBe(0);
  });

  test.each(["64", "user:", "user:anna", "profile:0", "job:64", "user:64,", "guest:1;drop", "application:a b"])(
    "%s are refused",
    async (subjects) => {
      expect(await service.post("/api/audit", { filter: { about: subjects } })).toBeError("invalid_request");
    },
  );
});

test("entries are sorted by date, in either direction", async () => {
  const ascending = await service.post("/api/audit", { sort: { date: "asc" } });
  const descending = await service.post("/api/audit", { sort: [{ key: "date", direction: "desc" }] });
  expect(eventsOf(ascending)).toEqual(["user_lock 01", "user_unlock 02", "client_create 03", "user_lock 03"]);
  expect(eventsOf(descending)).toEqual(eventsOf(ascending).reverse());
});

test.each<[name: string, page: object]>([
  ["an unknown event", { filter: { event: "user_lick" } }],
  ["an unknown event among known ones", { filter: { event: "user_lock,user_lick" } }],
  ["an empty event", { filter: { event: "" } }],
  ["an unknown filter", { filter: { realm: "1" } }],
  ["a filter that objects have of their own", { filter: { constructor: "1" } }],
  ["a filter named __proto__", { filter: JSON.parse('{"__proto__": "1"}') as object }],
  [
    "a filter named __proto__ among others",
    { filter: JSON.parse('{"event": "user_lock", "__proto__": {}}') as object },
  ],
  ["a filter named __proto__ in a list", { filter: [{ key: "__proto__", value: "1" }] }],
  ["a sort key named __proto__", { sort: JSON.parse('{"__proto__": "asc"}') as object }],
  ["an unknown sort key", { sort: { event: "asc" } }],
  ["a date that is none", { filter: { minDate: "yesterday" } }],
  ["a user that is no identifier", { filter: { user: "anna" } }],
  ["a user beyond every identifier", { filter: { user: "9223372036854775808" } }],
  ["an empty client", { filter: { client: "" } }],
  ["a limit of 1001", { limit: 1001 }],
])("%s is refused", async (_, page) => {
  expect(await service.post("/api/audit", page)).toBeError("invalid_request");
});
