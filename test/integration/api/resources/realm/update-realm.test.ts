import { beforeEach, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

let realmId: string;
let service: Caller;
beforeEach(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
});

const audited = () =>
  api.database.owner.query<{ event: string; properties: object }>(sql`
    select event, properties from audit_entries where realm_id = ${realmId}
  `);

test("all four settings change, and the audit entry contains the old and the new values", async () => {
  const settings = { displayName: "Universität", logoURI: "https://example.org/l.svg", maxProfiles: 100, maxValid: 24 };

  expect(await service.put("/api/realm", settings)).toMatchObject({
    status: 200,
    body: { result: "ok", code: 200, data: true },
  });
  expect((await service.get("/api/realm")).body.data).toEqual({
    realmName: expect.stringMatching(/^realm-/),
    ...settings,
  });
  expect(await audited()).toEqual([
    {
      event: "realm_update",
      properties: {
        before: { displayName: expect.stringMatching(/^realm-/), logoURI: "", maxProfiles: 5, maxValid: 12 },
        after: settings,
      },
    },
  ]);
});

test.each<[change: object]>([
  [{ maxProfiles: 0 }],
  [{ MAXVALID: 1 }],
  [{ logoURI: "HTTPS://example.org/a?b#c" }],
  [{ displayName: "ü".repeat(200), realmName: "ignored" }],
])("a change to %j alone is accepted, and the other settings stay", async (change) => {
  const before = (await service.get("/api/realm")).body.data;
  expect(await service.put("/api/realm", change)).toMatchObject({ status: 200, body: { data: true } });
  const after = (await service.get("/api/realm")).body.data;
  expect(Object.keys(after).filter((key) => after[key] !== before[key])).toHaveLength(1);
});

test("an empty address removes the logo", async () => {
  await service.put("/api/realm", { logoURI: "https://example.org/l.svg" });
  await service.put("/api/realm", { logoURI: "" });
  expect((await service.get("/api/realm")).body.data.logoURI).toBe("");
});

test("a request that changes no setting succeeds and writes nothing", async () => {
  expect(await service.put("/api/realm", (await service.get("/api/realm")).body.data)).toMatchObject({
    status: 200,
    body: { data: true },
  });
  expect(await audited()).toEqual([]);
});

test.each<[change: object, where: string]>([
  [{}, ""],
  [{ realmName: "other" }, ""],
  [{ displayName: "" }, "displayName"],
  [{ displayName: "x".repeat(201) }, "displayName"],
  [{ displayName: "a\nb" }, "displayName"],
  [{ logoURI: "http://example.org/l.svg" }, "logoURI"],
  [{ logoURI: "/l.svg" }, "logoURI"],
  [{ logoURI: "javascript:alert(1)" }, "logoURI"],
  [{ logoURI: "data:image/svg+xml,x" }, "logoURI"],
  [{ logoURI: "https://user:pw@example.org/" }, "logoURI"],
  [{ logoURI: "https://example.org/\r\nx" }, "logoURI"],
  [{ logoURI: null }, "logoURI"],
  [{ maxProfiles: -1 }, "maxProfiles"],
  [{ maxProfiles: 101 }, "maxProfiles"],
  [{ maxProfiles: "5" }, "maxProfiles"],
  [{ maxValid: 0 }, "maxValid"],
  [{ maxValid: 25 }, "maxValid"],
  [{ maxValid: 1.5 }, "maxValid"],
])("a change to %j is refused, and nothing changes", async (change, where) => {
  const before = (await service.get("/api/realm")).text;
  const answer = await service.put("/api/realm", { ...change });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields.map((field: { path: string }) => field.path)).toEqual([where]);
  expect((await service.get("/api/realm")).text).toBe(before);
});

test("only the caller's realm changes", async () => {
  const other = await as.service().get("/api/realm");
  await service.put("/api/realm", { displayName: "mine" });
  expect((await as.service().get("/api/realm")).text).toBe(other.text);
});

const tagNow = async (): Promise<string> => (await service.get("/api/realm")).headers.etag ?? "";
const putIf = (ifMatch: string, change: object) =>
  service.put("/api/realm", change, { headers: { "if-match": ifMatch } });

test("the settings are changed only if `If-Match` names their current version", async () => {
  const read = await tagNow();
  expect((await putIf(read, { maxProfiles: 7 })).status).toBe(200);

  expect(await putIf(read, { maxProfiles: 8, displayName: "Another" })).toBeError("precondition_failed");
  expect((await service.get("/api/realm")).body.data).toMatchObject({ maxProfiles: 7 });
  expect(await audited()).toHaveLength(1);
  expect((await putIf(await tagNow(), { maxProfiles: 8 })).status).toBe(200);
});

test.each<[name: string, given: (tag: string) => string, status: number]>([
  ["anything", () => "*", 200],
  ["in a list", (tag) => `"a", ${tag} ,"b"`, 200],
  ["in a list of others", () => '"a", "b"', 412],
  // RFC 9110 section 13.1.1: If-Match uses the strong comparison.
  ["weak", (tag) => `W/${tag}`, 412],
  ["without its quotes", (tag) => tag.slice(1, -1), 412],
  ["empty", () => "", 412],
])("If-Match %s", async (_, given, status) => {
  expect((await putIf(given(await tagNow()), { maxProfiles: 9 })).status).toBe(status);
  expect((await service.get("/api/realm")).body.data.maxProfiles).toBe(status === 200 ? 9 : 5);
});

test("only one of two changes to the same version succeeds", async () => {
  const read = await tagNow();
  const answers = await Promise.all([6, 7, 8].map((maxProfiles) => putIf(read, { maxProfiles })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  expect(await audited()).toHaveLength(1);
});

test("If-Match does not bypass access checks: a missing token or scope is refused as always", async () => {
  const options = { headers: { "if-match": '"another"' } };
  expect(await as.nobody().put("/api/realm", { maxProfiles: 9 }, options)).toBeError("unauthenticated");
  const reader = as.service({ realmId, scopes: ["realm.read"] });
  expect(await reader.put("/api/realm", { maxProfiles: 9 }, options)).toBeError("insufficient_scope");
});
