import { beforeAll, describe, expect, test } from "vitest";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/guest-accounts";

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
let realmId: string;
let service: Caller;

beforeAll(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
  // The accounts are created one after another: IDs decide the order of accounts created at the same time.
  const account = { realmId, createdAt: at(3), expiresAt: at(400) };
  await given.guestAccount({ ...account, name: "Fair 100%", profileLimit: 5, createdAt: at(1), expiresAt: at(401) });
  await given.guestAccount({ ...account, name: "open_day", profileLimit: 50, createdAt: at(2), expiresAt: at(20) });
  const congress = await given.guestAccount({ ...account, name: "Congress", revokedAt: at(4) });
  await given.guestAccount({ ...account, name: "Autumn school" });
  await given.profile({ realmId }, { guestAccountId: congress.id });
  // An account of another realm, which no list may show.
  await given.guestAccount({ realmId: api.realmId, name: "Fair" });
});

const names = (answer: { body: { data: { name: string }[] } }): string[] => answer.body.data.map(({ name }) => name);

test("accounts are listed newest first, then by id, with limit, offset and total", async () => {
  for (const answer of [await service.get(path), await service.post(path), await service.post(path, {})]) {
    expect(answer).toMatchObject({ status: 200, body: { result: "ok", limit: 100, offset: 0, total: 4 } });
    expect(names(answer)).toEqual(["Autumn school", "Congress", "open_day", "Fair 100%"]);
  }
  const { body } = await service.get(`${path}?limit=1&offset=1`);
  expect(body).toMatchObject({ limit: 1, offset: 1, total: 4, data: [{ name: "Congress", revoked: true }] });
  expect(body.data[0].activeProfileCount).toBe(1);
});

describe("search, filters and sort", () => {
  test.each<[page: object, expected: string[]]>([
    [{ search: "fair" }, ["Fair 100%"]],
    [{ search: "0%" }, ["Fair 100%"]],
    [{ search: "_" }, ["open_day"]],
    [{ filter: { invalid: "true" } }, ["Congress"]],
    [{ filter: { invalid: "False" } }, ["Autumn school", "open_day", "Fair 100%"]],
    [{ filter: { minCreateTime: "2026-01-02", maxCreateTime: "2026-01-02" } }, ["open_day"]],
    [{ filter: { maxExpirationTime: "2026-02-01" } }, ["open_day"]],
    [{ filter: { minExpirationTime: at(401).toISOString() } }, ["Fair 100%"]],
    [{ sort: { name: "asc" } }, ["Autumn school", "Congress", "Fair 100%", "open_day"]],
    [{ sort: { createtime: "asc" } }, ["Fair 100%", "open_day", "Congress", "Autumn school"]],
    [{ sort: { expirationtime: "desc" } }, ["Fair 100%", "Autumn school", "Congress", "open_day"]],
    // Accounts without a limit come last in either direction.
    [{ sort: { profilelimit: "desc" } }, ["open_day", "Fair 100%", "Autumn school", "Congress"]],
    [{ sort: { profilelimit: "asc" } }, ["Fair 100%", "open_day", "Congress", "Autumn school"]],
  ])("with %j return the expected accounts", async (page, expected) => {
    const answer = await service.post(path, page);
    expect(names(answer)).toEqual(expected);
    expect(answer.body.total).toBe(expected.length);
  });
});

test.each<[page: object, where: string]>([
  [{ sort: { createTime: "asc" } }, "sort.createTime"],
  [{ sort: { created: "asc" } }, "sort.created"],
  [{ filter: { revoked: "true" } }, "filter.revoked"],
  [{ filter: { invalid: "1" } }, "filter.invalid"],
  [{ filter: { mincreatetime: "2026-01-01" } }, "filter.mincreatetime"],
  [{ filter: { minExpirationTime: "soon" } }, "filter.minExpirationTime"],
])("a request with %j is refused", async (page, where) => {
  const answer = await service.post(path, page);
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe(where);
});
