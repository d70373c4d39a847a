import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { givenDirectory } from "../../../../support/given/directory.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import type { GivenUser } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
let realmId: string;
let service: Caller;
let users: GivenUser[];

beforeAll(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
  // The users are created one after another: IDs decide the order of users created at the same time.
  users = [
    await given.user({ realmId, pairwiseId: "Anna-100%", email: "anna@example.org", createdAt: at(1) }),
    await given.user({ realmId, pairwiseId: "bert_x", createdAt: at(2), lockedAt: at(10) }),
    await given.user({ realmId, pairwiseId: "carl", createdAt: at(3), offboardedAt: at(11) }),
    await given.user({ realmId, pairwiseId: "dora", createdAt: at(3) }),
  ];
  const [anna, bert] = users;
  await api.database.owner.query(sql`update users set not_permitted_since = ${at(12)} where id = ${bert?.id}`);
  if (anna === undefined || bert === undefined) throw new Error("no users");
  await given.profile(anna);
  await given.profile(anna);
  await given.profile(bert);
  // A user of another realm, whom no list may show.
  const stranger = await given.user({ realmId: api.realmId, pairwiseId: "anna", email: "anna@example.org" });
  await given.profile(stranger, { serialNumber: "7712345678" });
});

const names = (answer: { body: { data: { pairwiseID: string }[] } }): string[] =>
  answer.body.data.map(({ pairwiseID }) => pairwiseID);

test("users are listed newest first, then by id, with limit, offset and total at the top level", async () => {
  const answer = await service.get("/api/user");

  expect(answer).toMatchObject({ status: 200, body: { result: "ok", code: 200, limit: 100, offset: 0, total: 4 } });
  expect(names(answer)).toEqual(["dora", "carl", "bert_x", "Anna-100%"]);
  expect(Object.keys(answer.body).sort()).toEqual(["code", "data", "limit", "offset", "result", "total"]);
});

test("GET with a body, GET with a query and POST return the same list", async () => {
  const page = { limit: 2, offset: 1, filter: { blacklisted: "false" }, sort: { pairwiseid: "desc" } };
  const query = "?limit=2&offset=1&filter[blacklisted]=false&sort[pairwiseid]=desc";
  const encoded = "?limit=2&offset=1&filter%5Bblacklisted%5D=False&sort%5Bpairwiseid%5D=DESC";
  const pairs = {
    ...page,
    filter: [{ key: "blacklisted", value: "False" }],
    sort: [{ key: "pairwiseid", direction: "desc" }],
  };
  const expected = (await service.post("/api/user", page)).text;

  expect(JSON.parse(expected)).toMatchObject({ limit: 2, offset: 1, total: 3 });
  expect((await service.get("/api/user", { body: page })).text).toBe(expected);
  expect((await service.get("/api/user", { body: pairs })).text).toBe(expected);
  expect((await service.get(`/api/user${query}`)).text).toBe(expected);
  expect((await service.get(`/api/user${encoded}`)).text).toBe(expected);
  expect((await service.post("/api/user", { LIMIT: 2, Offset: 1, Filter: page.filter, SORT: page.sort })).text).toBe(
    expected,
  );
});

test("the body takes precedence over the query, property by property", async () => {
  const answer = await service.get("/api/user?limit=1&offset=2", { body: { limit: 3 } });
  expect(answer.body).toMatchObject({ limit: 3, offset: 2 });
});

test("an offset past the end returns an empty page", async () => {
  expect(await service.get("/api/user?offset=1000000")).toMatchObject({ status: 200, body: { data: [], total: 4 } });
});

describe("search and filters", () => {
  test.each<[page: object, expected: string[]]>([
    [{ search: "ANNA" }, ["Anna-100%"]],
    [{ search: "0%" }, ["Anna-100%"]],
    [{ search: "_" }, ["bert_x"]],
    [{ search: "" }, ["dora", "carl", "bert_x", "Anna-100%"]],
    [{ filter: { locked: "True" } }, ["bert_x"]],
    [{ filter: { locked: true } }, ["bert_x"]],
    [{ filter: { blacklisted: "true" } }, ["carl"]],
    [{ filter: { notPermitted: "true" } }, ["bert_x"]],
    [{ filter: { notPermitted: "False" } }, ["dora", "carl", "Anna-100%"]],
    [{ filter: { minProfileCount: "2" } }, ["Anna-100%"]],
    [{ filter: { maxProfileCount: "0", blacklisted: "false" } }, ["dora"]],
    [{ filter: { minCreated: at(2).toISOString(), maxCreated: "2026-01-02" } }, ["bert_x"]],
    [{ filter: { minLockDate: "2026-01-01T00:00:00+01:00" } }, ["bert_x"]],
    [{ filter: { maxBlacklistDate: "2026-12-31" } }, ["carl"]],
    [{ filter: { email: "EXAMPLE.org" } }, ["Anna-100%"]],
    [{ search: null, filter: null, sort: null }, ["dora", "carl", "bert_x", "Anna-100%"]],
    [{ sort: { pairwiseid: "asc" } }, ["Anna-100%", "bert_x", "carl", "dora"]],
    [{ sort: { profilecount: "desc", pairwiseid: "asc" } }, ["Anna-100%", "bert_x", "carl", "dora"]],
    [{ sort: { lockDate: "asc", created: "asc" }, filter: { blacklisted: "false" } }, ["bert_x", "Anna-100%", "dora"]],
  ])("with %j return exactly the matching users, in the order of `sort`", async (page, expected) => {
    const answer = await service.post("/api/user", page);
    expect(answer.status).toBe(200);
    expect(answer.body.total).toBe(expected.length);
    expect(new Set(names(answer))).toEqual(new Set(expected));
    if ("sort" in page && page.sort !== null) expect(names(answer)).toEqual(expected);
  });
});

describe("the filter `text`", () => {
  let realmId: string;
  let ulla: GivenUser;
  let service: Caller;

  beforeAll(async () => {
    realmId = await given.realm();
    service = as.service({ realmId });
    ulla = await given.user({ realmId, pairwiseId: "Ulla@campus.example", email: "u_vogel@mail.example" });
    await api.database.owner.query(sql`update users set display_name = 'Ulla Weiß-Müller' where id = ${ulla.id}`);
    const owner = await given.user({ realmId, pairwiseId: "has-12345678", email: "12345678@mail.example" });
    await given.profile(owner, { serialNumber: "9912345678" });
    await given.profile(owner, { serialNumber: "1234567899" });
    const former = await given.user({ realmId, pairwiseId: "former", lockedAt: at(10) });
    await given.profile(former, { serialNumber: "5512345678", createdAt: at(1), notAfter: at(2) });
    const guest = await given.guestAccount({ realmId });
    await given.profile({ realmId }, { guestAccountId: guest.id, serialNumber: "4412345678" });
  });

  test.each<[text: string, expected: string[]]>([
    ["ulla@CAMPUS.example", ["Ulla@campus.example"]],
    ["VOGEL@m", ["Ulla@campus.example"]],
    ["a_c", []],
    ["u%", []],
    ["\\", []],
    ["mail.example", ["has-12345678", "Ulla@campus.example"]],
    ["weiß", ["Ulla@campus.example"]],
    ["WEISS-MUELLER", ["Ulla@campus.example"]],
    ["müller u_vogel ulla", ["Ulla@campus.example"]],
    ["müller 12345678", []],
    [" ", []],
    ["12345678", ["former", "has-12345678"]],
    ["1234 5678", ["former", "has-12345678"]],
    ["5512345678", ["former"]],
    ["512345678", ["former"]],
    ["34567899", ["has-12345678"]],
    ["4567899", []],
    ["00:00:00:01:48:8F:B8:4E", ["former"]],
    ["4412345678", []],
    ["7712345678", []],
    ["99999999999999999999", []],
  ])("%s", async (text, expected) => {
    const answer = await service.post("/api/user", { filter: { text } });
    expect({ names: names(answer), total: answer.body.total }).toEqual({ names: expected, total: expected.length });
  });

  test("finds a whole userID", async () => {
    expect(names(await service.post("/api/user", { filter: { text: ulla.id } }))).toContain("Ulla@campus.example");
    expect(names(await as.service().post("/api/user", { filter: { text: ulla.id } }))).toEqual([]);
  });

  test("combines with other filters, on every page", async () => {
    const page = { filter: { text: "e", locked: "false" }, sort: { created: "asc" }, limit: 1 };
    const answers = await Promise.all([0, 1, 2].map((offset) => service.post("/api/user", { ...page, offset })));
    expect(answers.map((answer) => [names(answer), answer.body.total])).toEqual([
      [["Ulla@campus.example"], 2],
      [["has-12345678"], 2],
      [[], 2],
    ]);
  });
});

describe("a refused request", () => {
  test.each<[page: object, path: string]>([
    [{ limit: 0 }, "limit"],
    [{ limit: 1001 }, "limit"],
    [{ limit: "10" }, "limit"],
    [{ limit: 1.5 }, "limit"],
    [{ offset: -1 }, "offset"],
    [{ offset: 1e300 }, "offset"],
    [{ limit: null }, "limit"],
    [{ offset: null }, "offset"],
    [{ Limit: null, offset: 0 }, "limit"],
    [{ search: 7 }, "search"],
    [{ search: "x".repeat(5000) }, "search"],
    [{ filter: { Locked: "true" } }, "filter.Locked"],
    [{ filter: { locked: "yes" } }, "filter.locked"],
    [{ filter: { minCreated: "yesterday" } }, "filter.minCreated"],
    [{ filter: { minProfileCount: "-1" } }, "filter.minProfileCount"],
    [{ filter: { text: "" } }, "filter.text"],
    [{ filter: { text: "x".repeat(257) } }, "filter.text"],
    [{ filter: { constructor: "true" } }, "filter.constructor"],
    [{ filter: "locked" }, "filter"],
    [
      {
        filter: [
          { key: "locked", value: "true" },
          { key: "locked", value: "false" },
        ],
      },
      "filter.locked",
    ],
    [{ sort: { Created: "asc" } }, "sort.Created"],
    [{ sort: { created: "up" } }, "sort.created"],
    [{ sort: ["created"] }, "sort"],
  ])("%j", async (page, path) => {
    const answer = await service.post("/api/user", page);
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields[0].path.startsWith(path)).toBe(true);
  });

  test.each([
    "limit=0",
    "limit=ten",
    "limit=null",
    "offset=null",
    "limit=1&limit=2",
    "offset=-1",
    "filter=locked",
    "filter[nope]=1",
    "filter[locked]=true&filter[locked]=false",
    "sort[created]=sideways",
  ])("?%s", async (query) => {
    expect(await service.get(`/api/user?${query}`)).toBeError("invalid_request");
  });
});

test("users with a role are found, whether it was assigned here or by the identity provider", async () => {
  const realm = await given.realm();
  const desk = await given.user({ realmId: realm, roles: ["help_desk", "auditor"], createdAt: at(1) });
  const provided = await given.user({ realmId: realm, createdAt: at(2) });
  await given.user({ realmId: realm, roles: ["guest_manager"], createdAt: at(3) });
  await api.database.owner.query(sql`update users set provider_roles = '{help_desk}' where id = ${provided.id}`);
  const caller = as.service({ realmId: realm });
  const found = async (role: string) =>
    (await caller.get(`/api/user?filter[role]=${role}`)).body.data.map(({ userID }: { userID: string }) => userID);
  expect(await found("help_desk")).toEqual([provided.id, desk.id]);
  expect(await found("auditor")).toEqual([desk.id]);
  expect(await found("administrator")).toEqual([]);
  expect(await caller.get("/api/user?filter[role]=root")).toBeError("invalid_request");
});

test("list and search fold letters alike: ä, ö, ü and ß are also found by their spellings without umlauts and ß", async () => {
  const realmId = await given.realm();
  const caller = as.service({ realmId });
  const people = ["m\u00fcller", "wei\u00df@a", "STRASSE", "other"];
  for (const pairwiseId of people)
    await given.user({ realmId, pairwiseId, email: `${pairwiseId.split("@")[0]}@b.example` });
  const wanted: [searched: string, id: string][] = [
    ["mueller", "m\u00fcller"],
    ["M\u00dcLLER", "m\u00fcller"],
    ["mu\u0308ller", "m\u00fcller"],
    ["WEISS", "wei\u00df@a"],
    ["stra\u00dfe", "STRASSE"],
  ];
  for (const [searched, id] of wanted) {
    expect(names(await caller.post("/api/user", { search: searched })), searched).toEqual([id]);
    expect(names(await caller.post("/api/user", { filter: { email: searched } })), searched).toEqual([id]);
    expect(names(await caller.post("/api/user", { filter: { text: searched } })), searched).toEqual([id]);
    const { body } = await caller.post("/api/search", { q: searched });
    expect(body.data.groups[0].items, searched).toMatchObject([{ pairwiseID: id }]);
  }
});

test("list and search treat the dotless i alike", async () => {
  const realmId = await given.realm();
  const caller = as.service({ realmId });
  const ids = ["I\u015f\u0131k", "IRMAK", "\u0131nci", "\u0130lker"];
  for (const pairwiseId of ids) await given.user({ realmId, pairwiseId });
  const searches = [
    ...ids,
    "\u0131\u015f\u0131k",
    "I\u015eIK",
    "\u0131rmak",
    "irmak",
    "INCI",
    "inci",
    "ilker",
    "\u0131lker",
  ];
  const found = new Map<string, string[]>();
  for (const searched of searches) {
    const { body } = await caller.post("/api/search", { q: searched });
    const groups = body.data.groups as { items: { pairwiseID: string }[] }[];
    const bySearch = groups.flatMap(({ items }) => items.map(({ pairwiseID }) => pairwiseID));
    expect(names(await caller.post("/api/user", { search: searched })), searched).toEqual(bySearch);
    expect(names(await caller.post("/api/user", { filter: { text: searched } })), searched).toEqual(bySearch);
    found.set(searched, bySearch);
  }
  for (const id of ids) expect(found.get(id)).toEqual([id]);
  expect(found.get("irmak")).toEqual(["IRMAK"]);
});

test("a non-ASCII id is found in either Unicode form, by list and search", async () => {
  const realmId = await given.realm();
  const caller = as.service({ realmId });
  const ids = ["J\u00e4ger", "Bo\u0308hm"];
  for (const pairwiseId of [...ids, "other"]) await given.user({ realmId, pairwiseId });
  for (const id of ids) {
    for (const spelling of [id.normalize("NFC"), id.normalize("NFD"), id.toUpperCase()]) {
      expect(names(await caller.post("/api/user", { search: spelling }))).toEqual([id]);
      expect(names(await caller.post("/api/user", { filter: { text: spelling } }))).toEqual([id]);
      const { body } = await caller.post("/api/search", { q: spelling });
      expect(body.data.groups[0].items).toMatchObject([{ pairwiseID: id }]);
    }
  }
});

describe("the names included with the list", () => {
  test("are those of the users on the page, and the user object is unchanged", async () => {
    const named = await given.user({ realmId, pairwiseId: "ada-1815", displayName: "Ada Lovelace" });
    const { body } = await service.get("/api/user?include=people&search=ada-1815");
    expect(body.people).toEqual({
      [named.id]: { pairwiseID: "ada-1815", email: "", displayName: "Ada Lovelace", state: "active" },
    });
    expect(Object.keys(body.data[0])).not.toContain("displayName");
    expect((await service.get("/api/user?search=ada-1815")).body).not.toHaveProperty("people");
  });

  test("can be requested by ids, only in the caller's realm", async () => {
    const ids = users.slice(0, 2).map(({ id }) => id);
    const query = `filter[userIDs]=${ids.join(",")}&include=people`;
    const { body } = await service.get(`/api/user?${query}`);
    expect(names({ body }).toSorted()).toEqual(["Anna-100%", "bert_x"]);
    expect(Object.keys(body.people).toSorted()).toEqual(ids.toSorted());
    const elsewhere = await as.service({ realmId: api.realmId }).get(`/api/user?${query}`);
    expect(elsewhere.body).toMatchObject({ data: [], total: 0, people: {} });
    expect((await service.get("/api/user?filter[userIDs]=me")).status).toBe(400);
  });
});

test("the filter `managed` finds the users that a directory manages, or all other users", async () => {
  const directory = await givenDirectory(api);
  const { realmId } = directory;
  const [known, deleted] = [await directory.person(), await directory.person()];
  await directory.scim.delete(`/Users/${deleted}`);
  const { id: local } = await given.user({ realmId });
  const admin = as.admin({ realmId });
  const found = async (managed: string): Promise<string[]> =>
    (await admin.post("/api/user", { filter: { managed } })).body.data.map(({ userID }: { userID: string }) => userID);
  expect(await found("true")).toEqual([known]);
  const others = await found("false");
  expect(others).toEqual(expect.arrayContaining([deleted, local]));
  expect(others).not.toContain(known);
});
