import { beforeAll, expect, test } from "vitest";
import { allScopes } from "../../../../../domain/scopes.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import type { GivenUser } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/profiles";

let realmId: string;
let service: Caller;
let anna: GivenUser;

beforeAll(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
  anna = await given.user({ realmId });
  const bert = await given.user({ realmId });
  const at = (day: string): Date => new Date(`2026-01-${day}T00:00:00Z`);
  const end = (year: string): Date => new Date(`${year}-01-01T00:00:00Z`);
  await given.profile(anna, { serialNumber: "1234567", createdAt: at("01"), notAfter: end("2997") });
  await given.profile(bert, {
    serialNumber: "7654321",
    deviceType: "iOS",
    authable: true,
    createdAt: at("02"),
    notAfter: end("2996"),
  });
  await given.profile(anna, { serialNumber: "99", createdAt: at("02"), notAfter: end("2998") });
  // Those that are not active, not a person's, or another realm's.
  await given.profile(anna, { serialNumber: "555", createdAt: at("01"), notAfter: at("03") });
  await given.profile(anna, { serialNumber: "666" });
  await service.delete(`${path}/666`);
  await given.profile(anna, { kind: "infrastructure" });
  const { id: guestAccountId } = await given.guestAccount({ realmId });
  await given.profile({ realmId }, { guestAccountId });
  await given.profile(await given.user({ realmId: api.realmId }));
});

const serials = (answer: { body: { data: { serial: string }[] } }): string[] =>
  answer.body.data.map(({ serial }) => serial);

test("the active profiles of all users, newest first, ties by id, with exactly the fields of the specification", async () => {
  for (const answer of [await service.get(path), await service.post(path)]) {
    expect(answer).toMatchObject({ status: 200, body: { limit: 100, offset: 0, total: 3 } });
    expect(serials(answer)).toEqual(["99", "7654321", "1234567"]);
  }
  expect((await service.get(`${path}?search=1234567`)).body.data).toEqual([
    {
      serial: "1234567",
      name: "laptop",
      revokeReason: null,
      revokeTime: null,
      creationTime: "2026-01-01T00:00:00.000Z",
      expirationTime: "2997-01-01T00:00:00.000Z",
      authable: false,
      lastLogin: "2026-01-01T00:00:00.000Z",
      deviceType: "Linux",
      owner: anna.id,
    },
  ]);
});

test.each<[page: object, expected: string[]]>([
  [{ search: "345" }, ["1234567"]],
  [{ search: "123 4567" }, ["1234567"]],
  [{ search: "7 6543 " }, ["7654321"]],
  [{ search: "_" }, []],
  [{ filter: { authable: "true" } }, ["7654321"]],
  [{ filter: { deviceType: "iOS" } }, ["7654321"]],
  [{ filter: { minCreated: "2026-01-02" } }, ["99", "7654321"]],
  [{ filter: { maxCreated: "2026-01-01" } }, ["1234567"]],
  [{ filter: { minLastLogin: "2026-01-02" } }, ["99", "7654321"]],
  [{ filter: { maxLastLogin: "2026-01-01" } }, ["1234567"]],
  [{ filter: { minExpirationTime: "2998-01-01" } }, ["99"]],
  [{ filter: { maxExpirationTime: "2996-01-01" } }, ["7654321"]],
  [{ filter: { serials: "555, 1234567,12" } }, ["1234567"]],
  [{ filter: { serials: "765 4321,123 4567" } }, ["7654321", "1234567"]],
  [{ sort: { serial: "asc" } }, ["1234567", "7654321", "99"]],
  [{ sort: { createtime: "asc" } }, ["1234567", "7654321", "99"]],
  [{ sort: { expirationtime: "asc" } }, ["7654321", "1234567", "99"]],
  [{ sort: { lastlogin: "desc" } }, ["99", "7654321", "1234567"]],
  [{ limit: 1, offset: 1 }, ["7654321"]],
])("%j, by GET and by POST", async (page, expected) => {
  expect(serials(await service.post(path, page))).toEqual(expected);
  expect(serials(await service.get(path, { body: page }))).toEqual(expected);
});

test("with whose they are, for who may read people", async () => {
  const { body } = await service.get(`${path}?include=people`);
  expect(Object.keys(body.people).sort()).toEqual(
    [...new Set(body.data.map(({ owner }: { owner: string }) => owner))].sort(),
  );
  const { pairwiseID, email } = (await service.get(`/api/user/${anna.id}`)).body.data;
  expect(body.people[anna.id]).toEqual({ pairwiseID, email, displayName: null, state: "active" });

  const blind = as.user(given.user({ realmId, administrator: true }), {
    scopes: allScopes.filter((scope) => scope !== "user.read"),
  });
  expect((await blind.get(path)).body.people).toBeUndefined();
  expect(await blind.get(`${path}?include=people`)).toBeError("insufficient_scope");
});

test("a serial number in groups names the same profile", async () => {
  expect((await service.get(`${path}/123%204567`)).body.data).toMatchObject({ serial: "1234567" });
  expect(await service.get(`${path}/123%204568`)).toBeError("profile_not_found");
});

test.each([
  { sort: { name: "asc" } },
  { sort: { CreateTime: "asc" } },
  { filter: { invalid: "true" } },
  { filter: { deviceType: "ios" } },
  { filter: { serials: "a,b" } },
  { filter: { authable: "" } },
])("%j is refused", async (page) => {
  expect(await service.post(path, page)).toBeError("invalid_request");
});
