import { beforeAll, expect, test } from "vitest";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import type { GivenUser } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;

let user: GivenUser;
let service: Caller;
let path: string;

beforeAll(async () => {
  user = await given.user({ realmId: api.realmId });
  service = as.service();
  path = `/api/user/${user.id}/profiles`;
  await given.profile(user, {
    serialNumber: "1234567",
    deviceType: "Linux",
    createdAt: new Date("2026-01-01T00:00:00Z"),
  });
  await given.profile(user, {
    serialNumber: "7654321",
    deviceType: "iOS",
    authable: true,
    createdAt: new Date("2026-01-02T00:00:00Z"),
  });
  await given.profile(user, {
    serialNumber: "555",
    createdAt: new Date("2025-01-01T00:00:00Z"),
    notAfter: new Date("2025-06-01T00:00:00Z"),
  });
});

const serials = (answer: { body: { data: { serial: string }[] } }): string[] =>
  answer.body.data.map(({ serial }) => serial);

test("under 1.0 a plain GET returns version 1: every profile, without pages", async () => {
  for (const headers of [{}, { "x-api-version": "1.0" }]) {
    const answer = await service.get(path, { headers: headers });
    expect(serials(answer)).toEqual(["7654321", "1234567", "555"]);
    expect(Object.keys(answer.body).sort()).toEqual(["code", "data", "result"]);
  }
});

test("version 2.0, POST, and a GET with page parameters return version 2", async () => {
  const answers = await Promise.all([
    service.get(path, { headers: { "x-api-version": "2.0" } }),
    service.post(path),
    service.post(path, {}),
    service.get(`${path}?offset=0`),
    service.get(`${path}?filter[invalid]=false`),
    service.get(`${path}?sort[serial]=asc`),
    service.get(`${path}?search=`),
    service.get(path, { body: { limit: 100 } }),
  ]);
  for (const { status, body } of answers) {
    expect({ status, body }).toMatchObject({ status: 200, body: { limit: 100, offset: 0, total: expect.any(Number) } });
  }
});

test.each<[page: object, expected: string[]]>([
  [{ search: "345" }, ["1234567"]],
  [{ search: "0x12d687" }, ["1234567"]],
  [{ search: "12:D6:87" }, ["1234567"]],
  [{ search: "serial=12D687" }, ["1234567"]],
  [{ search: "0x2d687" }, []],
  [{ filter: { authable: "true" } }, ["7654321"]],
  [{ filter: { deviceType: "iOS" } }, ["7654321"]],
  [{ filter: { invalid: "true" } }, ["555"]],
  [{ filter: { invalid: "false", maxLastLogin: "2026-01-01" } }, ["1234567"]],
  [{ filter: { serials: "555, 1234567" } }, ["1234567", "555"]],
  [{ filter: { maxExpirationTime: "2026-01-01" } }, ["555"]],
  [{ sort: { createtime: "asc" } }, ["555", "1234567", "7654321"]],
])("the list with %j contains the expected profiles", async (page, expected) => {
  expect(serials(await service.post(path, page))).toEqual(expected);
});

test.each([{ filter: { deviceType: "ios" } }, { filter: { serials: "a,b" } }, { sort: { name: "asc" } }])(
  "a request with %j is refused",
  async (page) => {
    expect(await service.post(path, page)).toBeError("invalid_request");
  },
);

test("a limit or offset of null is refused, even in the body of a GET", async () => {
  for (const body of [{ limit: null }, { offset: null }, { LIMIT: null, search: "7" }]) {
    expect(await service.get(path, { body })).toBeError("invalid_request");
    expect(await service.post(path, body)).toBeError("invalid_request");
  }
});

test("profiles of a user outside the realm are not found, in every form", async () => {
  const stranger = await given.user({ realmId: await given.realm() });
  for (const id of [stranger.id, "999999999", "abc"]) {
    expect(await service.get(`/api/user/${id}/profiles`)).toBeError("user_not_found");
    expect(await service.post(`/api/user/${id}/profiles`)).toBeError("user_not_found");
  }
});

test("owners are included with user.read; a GET then returns version 2", async () => {
  const { body } = await service.get(`${path}?include=people`);
  expect(body.total).toBe(3);
  expect(body.people).toEqual({
    [user.id]: { pairwiseID: expect.any(String), email: "", displayName: null, state: "active" },
  });
  expect((await service.post(path)).body.people).toBeUndefined();
  expect(await service.get(`${path}?include=owners`)).toBeError("invalid_request");

  const blind = as.user(given.user({ realmId: api.realmId, administrator: true }), {
    scopes: allScopes.filter((scope) => scope !== "user.read"),
  });
  expect(await blind.get(`${path}?include=people`)).toBeError("insufficient_scope");
});
