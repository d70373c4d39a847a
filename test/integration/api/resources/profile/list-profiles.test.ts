import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
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
  // Profiles that the list excludes: inactive, not a person's, or another realm's.
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

test("all users' active profiles are listed newest first, then by id, with exactly the fields of the specification", async () => {
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
  [{ search: "0x12d687" }, ["1234567"]],
  [{ search: "12:D6:87" }, ["1234567"]],
  [{ search: "serial=12D687" }, ["1234567"]],
  [{ search: "0x2d687" }, []],
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
])("the list with %j contains the expected profiles, by GET and by POST", async (page, expected) => {
  expect(serials(await service.post(path, page))).toEqual(expected);
  expect(serials(await service.get(path, { body: page }))).toEqual(expected);
});

test("owners are included with user.read", async () => {
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

describe("revoked profiles", () => {
  let revokedRealm: string;
  let caller: Caller;
  const at = (day: number): Date => new Date(Date.UTC(2026, 2, day));

  beforeAll(async () => {
    revokedRealm = await given.realm();
    caller = as.service({ realmId: revokedRealm });
    const owner = await given.user({ realmId: revokedRealm });
    const { id: guestAccountId } = await given.guestAccount({ realmId: revokedRealm });
    const revoke = async (serialNumber: string, day: number): Promise<void> => {
      await api.database.owner.query(sql`
        insert into revocations (certificate_id, revoked_at, reason)
        select id, ${at(day)}, 4 from certificates where serial_number = ${serialNumber} and realm_id = ${revokedRealm}
      `);
    };
    // The profiles are made in one order and revoked in another; one profile has expired since its revocation.
    for (const [serialNumber, made, day] of [
      ["1001", 1, 9],
      ["1002", 2, 7],
      ["1003", 3, 8],
    ] as const) {
      await given.profile(owner, {
        serialNumber,
        createdAt: at(made),
        deviceType: made === 2 ? "iOS" : "Linux",
        ...(made === 1 && { notAfter: at(12) }),
      });
      await revoke(serialNumber, day);
    }
    await given.profile(owner, { serialNumber: "1004", createdAt: at(4) });
    await given.profile(owner, { serialNumber: "1005", createdAt: at(1), notAfter: at(2) });
    for (const [serialNumber, of] of [
      ["1006", { guestAccountId }],
      ["1007", { kind: "infrastructure" }],
    ] as const) {
      await given.profile({ realmId: revokedRealm }, { serialNumber, ...of });
      await revoke(serialNumber, 10);
    }
  });

  test.each<[page: object, expected: string[]]>([
    [{}, ["1004"]],
    [{ filter: { state: "active" } }, ["1004"]],
    [{ filter: { state: "active" }, sort: { revoketime: "desc" } }, ["1004"]],
    [{ filter: { state: "revoked" } }, ["1001", "1003", "1002"]],
    [{ filter: { state: "revoked" }, sort: { revoketime: "desc" } }, ["1001", "1003", "1002"]],
    [{ filter: { state: "revoked" }, sort: { revoketime: "asc" } }, ["1002", "1003", "1001"]],
    [{ filter: { state: "revoked" }, sort: { createtime: "asc" } }, ["1001", "1002", "1003"]],
    [{ filter: { state: "revoked", deviceType: "iOS" } }, ["1002"]],
    [{ filter: { state: "revoked", maxCreated: "2026-03-02" } }, ["1001", "1002"]],
    [{ filter: { state: "revoked", serials: "1003,1004" } }, ["1003"]],
    [{ filter: { state: "revoked" }, search: "002" }, ["1002"]],
  ])("are found by %j", async (page, expected) => {
    const answer = await caller.post(path, page);
    expect(serials(answer)).toEqual(expected);
    expect(answer.body.total).toBe(expected.length);
  });

  test("have the time and the reason of their revocation", async () => {
    const { body } = await caller.get(`${path}?filter[state]=revoked&limit=1`);
    expect(body).toMatchObject({
      total: 3,
      data: [{ serial: "1001", revokeReason: 4, revokeTime: at(9).toISOString() }],
    });
  });
});

test("the last status request is included on request", async () => {
  const checkedAt = new Date("2026-04-01T10:00:00Z");
  await api.database.owner.query(sql`
    update certificates set last_ocsp_at = ${checkedAt} where serial_number = '99' and realm_id = ${realmId}
  `);
  const { body } = await service.get(`${path}?include=checks`);
  expect(body.checks).toEqual({ "99": checkedAt.toISOString(), "7654321": null, "1234567": null });
  expect(body.people).toBeUndefined();
  expect((await service.post(`${path}?include=people,checks`, { limit: 1 })).body).toMatchObject({
    checks: { "99": checkedAt.toISOString() },
    people: { [anna.id]: { state: "active" } },
  });
  expect((await service.get(path)).body.checks).toBeUndefined();
  const unknown = await service.get(`${path}?include=checks,secrets`);
  expect(unknown).toBeError("invalid_request");
  expect(unknown.body.fields).toEqual([{ path: "include", reason: "there is no “secrets” to include" }]);
});

test("a serial number in groups finds the same profile", async () => {
  expect((await service.get(`${path}/123%204567`)).body.data).toMatchObject({ serial: "1234567" });
  expect(await service.get(`${path}/123%204568`)).toBeError("profile_not_found");
});

test.each([
  { sort: { name: "asc" } },
  { sort: { CreateTime: "asc" } },
  { filter: { invalid: "true" } },
  { filter: { state: "expired" } },
  { filter: { deviceType: "ios" } },
  { filter: { serials: "a,b" } },
  { filter: { authable: "" } },
])("a request with %j is refused", async (page) => {
  expect(await service.post(path, page)).toBeError("invalid_request");
});
