import { beforeAll, expect, test } from "vitest";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
let admin: Caller;
const ids: Record<string, string> = {};

beforeAll(async () => {
  const realmId = await given.realm();
  admin = as.admin({ realmId });
  for (const [name, type, active] of [
    ["Console", "useragent", true],
    ["import 100%", "service", true],
    ["Import of old", "service", false],
  ] as const) {
    ids[name] = (await given.application({ realmId, type, active, name })).clientId;
  }
});

const names = async (query: string): Promise<string[]> => {
  const { status, body } = await admin.get(`/api/applications?${query}`);
  expect(status).toBe(200);
  // The list also contains the administrator's own client, which is left out here.
  return body.data.map(({ name }: { name: string }) => name).filter((name: string) => !name.startsWith("application "));
};

test.each([
  ["", ["Import of old", "import 100%", "Console"]],
  ["sort[creationDate]=asc", ["Console", "import 100%", "Import of old"]],
  ["search=IMPORT", ["Import of old", "import 100%"]],
  ["search=%25", ["import 100%"]],
  ["filter[type]=service", ["Import of old", "import 100%"]],
  ["filter[active]=False", ["Import of old"]],
  ["filter[active]=true&filter[type]=service", ["import 100%"]],
])("%s lists %j", async (query, expected) => {
  expect(await names(query)).toEqual(expected);
});

test("sort[name] sorts by name in either direction", async () => {
  // The database's collation decides about letter case; every collation sorts C before I and i.
  const ascending = await names("sort[name]=asc");
  expect(ascending).toEqual(["Console", ...ascending.slice(1)]);
  expect(ascending).toHaveLength(3);
  expect(await names("sort[name]=desc")).toEqual(ascending.toReversed());
});

test("a page contains its position and the total", async () => {
  const { body } = await admin.get("/api/applications?sort[creationDate]=asc&limit=1&offset=1");
  expect(body).toMatchObject({ limit: 1, offset: 1, total: 4, data: [expect.any(Object)] });
  expect((await admin.get("/api/applications", { body: { offset: 9 } })).body).toMatchObject({ total: 4, data: [] });
});

test.each(["filter[type]=native", "filter[name]=x", "sort[type]=asc", "limit=0"])("%s is refused", async (query) => {
  expect(await admin.get(`/api/applications?${query}`)).toBeError("invalid_request");
});

test("POST registers and never lists", async () => {
  expect(await admin.post("/api/applications", { limit: 5 })).toBeError("invalid_request");
});
