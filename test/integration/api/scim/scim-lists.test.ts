import { beforeAll, describe, expect, test } from "vitest";
import { givenDirectory, type GivenDirectory } from "../../../support/given/directory.ts";
import { sendRequest, useApi, type ApiAnswer } from "../../../support/service/api.ts";

const api = useApi();
let directory: GivenDirectory;
const ids: string[] = [];

/** Five people: the fourth has left, the fifth has neither name nor address. */
beforeAll(async () => {
  directory = await givenDirectory(api);
  for (const [index, name] of ["Ada", "Bob", "cy_%"].entries()) {
    ids.push(
      await directory.person({
        userName: `${name}@Example.org`,
        externalId: `Object-${index}`,
        displayName: name,
        emails: [{ value: `${name.replace("%", "")}@mail.example`, type: "work" }],
      }),
    );
  }
  ids.push(await directory.person({ userName: "left", active: false, emails: [{ value: "left@mail.example" }] }));
  ids.push(await directory.person({ userName: "bare" }));
  const other = await givenDirectory(api, { realmId: directory.realmId });
  await other.person({ userName: "of-another-connection", displayName: "Ada" });
});

const list = (query: string): Promise<ApiAnswer> => directory.scim.get(`/Users?${query}`);
const filtered = async (filter: string): Promise<number[]> => {
  const { status, text, body } = await list(`filter=${encodeURIComponent(filter)}`);
  if (status !== 200) throw new Error(text);
  const found = body.Resources.map(({ id }: { id: string }) => ids.indexOf(id));
  expect(body).toMatchObject({ totalResults: found.length, startIndex: 1, itemsPerPage: found.length });
  const searched = await directory.scim.post("/Users/.search", { filter });
  expect(searched.body).toEqual(body);
  return found;
};

test.each<[string, number[]]>([
  ['userName eq "ADA@example.ORG"', [0]],
  ['externalId eq "Object-1"', [1]],
  ['externalId eq "object-1"', []],
  ['externalId ne "Object-1"', [0, 2, 3, 4]],
  ['displayName co "_%"', [2]],
  ['displayName sw "a"', [0]],
  ['userName ew "@example.org"', [0, 1, 2]],
  ['emails.value eq "BOB@mail.example"', [1]],
  ['emails[type eq "work"].value ew "mail.example" and active eq true', [0, 1, 2]],
  ["emails pr", [0, 1, 2, 3]],
  ["not (displayName pr)", [3, 4]],
  ["active eq false", [3]],
  ['displayName eq "ada" or (active eq "False" and userName sw "l")', [0, 3]],
  ['not (displayName eq "Ada")', [1, 2, 3, 4]],
  ['meta.created lt "2026-01-01T00:00:00Z"', []],
  ['meta.lastModified ge "2026-01-01"', [0, 1, 2, 3, 4]],
  ['id eq "nobody"', []],
  [`userName eq "x' or '1'='1"`, []],
])("the filter %s finds %j", async (filter, found) => {
  expect(await filtered(filter)).toEqual(found);
});

test("a filter by id finds the person", async () => {
  expect(await filtered(`id eq "${ids[2]}"`)).toEqual([2]);
});

test.each(["", 'groups eq "x"', "(".repeat(500), 'userName eq "a'])(
  "the filter %j gets 400, never a list",
  async (filter) => {
    const answer = await list(`filter=${encodeURIComponent(filter)}`);
    expect(answer).toMatchObject({ status: 400, body: { scimType: "invalidFilter", status: "400" } });
  },
);

test("pages count from 1, and the total is exact on each page", async () => {
  const page = async (query: string) => {
    const { body } = await list(query);
    return [
      body.totalResults,
      body.startIndex,
      body.itemsPerPage,
      body.Resources.map(({ id }: { id: string }) => ids.indexOf(id)),
    ];
  };
  expect(await page("startIndex=2&count=2")).toEqual([5, 2, 2, [1, 2]]);
  expect(await page("startIndex=0&count=1")).toEqual([5, 1, 1, [0]]);
  expect(await page("startIndex=-7")).toEqual([5, 1, 5, [0, 1, 2, 3, 4]]);
  expect(await page("startIndex=99")).toEqual([5, 99, 0, []]);
  expect(await page("count=0")).toEqual([5, 1, 0, []]);
  expect(await page("count=-1&aadOptscim062020&sortBy=userName")).toEqual([5, 1, 0, []]);
  expect(await page("count=1000")).toEqual([5, 1, 5, [0, 1, 2, 3, 4]]);
  for (const query of ["count=x", "startIndex=1.5", "count=1e999"]) {
    expect(await list(query)).toMatchObject({ status: 400, body: { scimType: "invalidValue" } });
  }
});

test("a response contains the requested attributes, and always id and schemas", async () => {
  const [first] = (await list("attributes=userName,emails.value&count=1")).body.Resources;
  expect(Object.keys(first)).toEqual(["schemas", "id", "userName", "emails"]);
  const one = await directory.scim.get(`/Users/${ids[0]}?excludedAttributes=meta,id,active`);
  expect(Object.keys(one.body)).toEqual(["schemas", "id", "externalId", "userName", "name", "displayName", "emails"]);
});

describe("the server's description of itself", () => {
  const nobody = () => api.as.nobody();

  test("is public, and every item has its schemas and meta", async () => {
    const config = (await nobody().get("/scim/v2/ServiceProviderConfig")).body;
    expect(config).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [{ type: "oauthbearertoken" }, { type: "oauth2" }],
    });
    for (const path of ["ResourceTypes", "Schemas"]) {
      const { body } = await nobody().get(`/scim/v2/${path}`);
      expect(body).toMatchObject({ totalResults: 1, itemsPerPage: 1, startIndex: 1 });
      const [item] = body.Resources;
      expect(item).toMatchObject({
        schemas: [expect.any(String)],
        meta: { location: `${api.url}/scim/v2/${path}/${item.id}` },
      });
      expect((await nobody().get(`/scim/v2/${path}/${item.id}/`)).body).toEqual(item);
      expect(await nobody().get(`/scim/v2/${path}?filter=x`)).toMatchObject({ status: 403, body: { status: "403" } });
    }
    expect(await nobody().get("/scim/v2/Schemas/urn:x")).toMatchObject({ status: 404 });
  });
});

test("groups are an empty list; an operation that is not offered gets 501, and an unknown path 404, in SCIM's format", async () => {
  const { scim } = directory;
  expect(await scim.get("/Groups")).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
  expect(await scim.get("/Groups/1")).toMatchObject({ status: 404, body: { status: "404" } });
  expect(await scim.post("/Groups", {})).toMatchObject({ status: 501, body: { status: "501" } });
  expect(await scim.post("/Bulk", {})).toMatchObject({ status: 501 });
  expect(await scim.get("/Me")).toMatchObject({ status: 501 });
  for (const path of ["", "/", "/Users/1/2", "/users", "/Nothing", "/Users/%zz"]) {
    expect(await scim.get(path), path).toMatchObject({ status: 404, body: { status: "404" } });
  }
  const put = await scim.put("/Users", {});
  expect(put).toMatchObject({ status: 405, headers: { allow: "GET, POST, HEAD, OPTIONS" }, body: { status: "405" } });
});

describe("hostile requests get 4xx in SCIM's format", () => {
  const deep = `{"userName":"x","a":${"[".repeat(100)}${"]".repeat(100)}}`;
  test.each([
    ["100 levels", deep, 400],
    ["a property twice", '{"userName":"x","userName":"y"}', 400],
    ["no JSON", "{", 400],
    ["NUL", String.raw`{"userName":"\u0000"}`, 400],
    ["half a surrogate pair", String.raw`{"userName":"\ud800"}`, 400],
    ["no body", "", 400],
    ["128 KiB and a byte", `{"userName":"${"x".repeat(128 * 1024)}"}`, 413],
  ])("%s", async (_, raw, status) => {
    for (const [method, path] of [
      ["POST", "/Users"],
      ["POST", "/Users/.search"],
      ["PUT", `/Users/${ids[0]}`],
      ["PATCH", `/Users/${ids[0]}`],
    ] as const) {
      const answer = await directory.scim.send(method, path, {
        raw,
        headers: { "content-type": "application/scim+json" },
      });
      expect(answer, method).toMatchObject({ status, body: { status: String(status) } });
    }
  });

  test.each([1e20, 1e300, 1.5, "x"])("a search that begins at %j", async (startIndex) => {
    for (const asked of [{ startIndex }, { count: startIndex }]) {
      const answer = await directory.scim.post("/Users/.search", asked);
      expect(answer).toMatchObject({ status: 400, body: { scimType: "invalidValue" } });
    }
    expect(await directory.scim.post("/Users/.search", { startIndex: 1e15 })).toMatchObject({ status: 200 });
  });

  test("a body that is not JSON gets 415, and every JSON type is accepted", async () => {
    const send = (type: string) =>
      directory.scim.send("PATCH", `/Users/${ids[0]}`, { raw: '{"Operations":[]}', headers: { "content-type": type } });
    expect(await send("text/plain")).toMatchObject({
      status: 415,
      body: { detail: expect.stringContaining("scim+json") },
    });
    for (const type of ["application/json", "application/scim+json; charset=utf-8"]) {
      expect(await send(type)).toMatchObject({ status: 200 });
    }
  });

  test("a body's __proto__ changes nothing", async () => {
    const raw =
      '{"Operations":[{"op":"add","path":"__proto__.polluted","value":1},{"op":"add","value":{"__proto__":{"polluted":1}}}]}';
    const headers = { "content-type": "application/scim+json" };
    expect(await directory.scim.send("PATCH", `/Users/${ids[0]}`, { raw, headers })).toMatchObject({ status: 200 });
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

test("a request without a token gets 401 with a challenge, in SCIM's format", async () => {
  const answer = await sendRequest(`${api.url}/scim/v2/Users`, "GET", {});
  expect(answer).toMatchObject({
    status: 401,
    headers: { "www-authenticate": 'Bearer realm="api"', "content-type": "application/scim+json" },
    body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "401" },
  });
});
