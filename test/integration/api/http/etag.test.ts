import { beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../../api/contract/endpoint.ts";
import { endpoints } from "../../../../api/endpoints.ts";
import { givenIssuingRealm } from "../../../support/given/issuing.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { useApi } from "../../../support/service/api.ts";
import {
  givenSubject,
  nobodysSubject,
  samplesOf,
  type SampleSubject,
} from "../../../support/given/endpoint-samples.ts";

const api = useApi();
const { as, given } = api;
let subject: SampleSubject;
beforeAll(async () => {
  subject = await givenSubject(given, api.realmId);
});

const read = (tag?: string) =>
  as.admin().get("/api/realm", tag === undefined ? {} : { headers: { "if-none-match": tag } });

test("a read has a strong tag of its bytes, and a client that has those bytes gets 304 without a body", async () => {
  const first = await read();
  const tag = first.headers.etag ?? "";
  expect(first).toMatchObject({ status: 200, headers: { "cache-control": "private, no-cache" } });
  expect(tag).toMatch(/^"[\w-]{22}"$/);

  const again = await read(tag);
  expect(again).toMatchObject({ status: 304, text: "", headers: { etag: tag, "cache-control": "private, no-cache" } });
  expect(again.headers["content-type"]).toBeUndefined();
  expect(again.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ["in a list", (tag: string) => `"a", ${tag} ,"b"`, 304],
  ["weak", (tag: string) => `W/${tag}`, 304],
  ["anything", () => "*", 304],
  ["another", () => '"another"', 200],
  ["without its quotes", (tag: string) => tag.slice(1, -1), 200],
  ["empty", () => "", 200],
  ["5 kB of quotes", () => '"'.repeat(5000), 200],
])("If-None-Match %s", async (_, given, status) => {
  const tag = (await read()).headers.etag ?? "";
  expect((await read(given(tag))).status).toBe(status);
});

test("a change yields another tag, for every caller", async () => {
  const user = await given.user({ realmId: api.realmId });
  const path = `/api/user/${user.id}`;
  const before = (await as.service().get(path)).headers.etag ?? "";
  expect((await as.user(user).get(path, { headers: { "if-none-match": before } })).status).toBe(304);

  await as.service().put(`${path}/status`, { locked: true });

  const after = await as.service().get(path, { headers: { "if-none-match": before } });
  expect(after).toMatchObject({ status: 200, body: { data: { locked: true } } });
  expect(after.headers.etag).not.toBe(before);
  expect((await as.user(user).get(path, { headers: { "if-none-match": before } })).status).toBe(200);
});

test("a tag does not bypass access checks: a request without a token gets 401, and an unknown resource 404", async () => {
  const headers = { "if-none-match": "*" };
  expect(await as.nobody().get("/api/realm", { headers })).toBeError("unauthenticated");
  expect(await as.service().get("/api/user/999999999999", { headers })).toBeError("user_not_found");
});

test("only responses to GET have an ETag: a list by POST has no ETag", async () => {
  const answer = await as.service().post("/api/user", {}, { headers: { "if-none-match": "*" } });
  expect(answer).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect(answer.headers.etag).toBeUndefined();
});

const reads = samplesOf(endpoints, nobodysSubject).filter(
  ({ method, endpoint }) => method === "get" && endpoint.access !== "public" && endpoint.file === undefined,
);
const readsOfSecrets = reads.filter(({ endpoint }) => endpoint.secret);

const titled = (samples: typeof reads) => samples.map(({ endpoint }) => [endpoint.path, endpoint] as const);
const pathOf = (endpoint: Endpoint): string =>
  samplesOf([endpoint], subject).find(({ method }) => method === "get")?.path ?? "";
const whoMay = ({ access }: Endpoint) =>
  access === "user" ? as.user(given.user({ realmId: api.realmId })) : as.service();

describe.each(titled(reads.filter(({ endpoint }) => !endpoint.secret)))("%s", (_, endpoint) => {
  test("HEAD returns the headers of GET, with a tag", async () => {
    const [path, who] = [pathOf(endpoint), whoMay(endpoint)];
    const [got, head] = [await who.get(path), await who.send("HEAD", path)];

    expect(head.text).toBe("");
    expect(head.status).toBe(got.status);
    const changing = /^(?:date|connection|keep-alive|x-request-id|x-rate-limit-.*|content-length)$/;
    const headers = ({ headers: all }: typeof got) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !changing.test(name)));
    expect(headers(head)).toEqual(headers(got));
    expect(got.headers.etag !== undefined).toBe(got.status === 200);
  });
});

/** Makes a profile; returns its creator, and the path of its issuance, which contains the private key. */
async function givenIssuance() {
  const { realmId } = await givenIssuingRealm(api.database.owner);
  await api.startWorker();
  const who = as.service({ realmId });
  const { id } = await given.user({ realmId });
  const profile = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
  const headers = { prefer: "respond-async" };
  const path = (await who.post(`/api/user/${id}/profiles/laptop`, profile, { headers })).headers.location ?? "";
  await eventually(async () => {
    expect((await who.get(path)).text).toContain("PRIVATE KEY");
  });
  return { path, who };
}

describe.each(titled(readsOfSecrets))("%s", (_, endpoint) => {
  test("a secret has no tag, and HEAD gets 405", async () => {
    const { path, who } =
      endpoint.operation === "getIssuance" ? await givenIssuance() : { path: pathOf(endpoint), who: whoMay(endpoint) };
    const [got, head] = [await who.get(path), await who.send("HEAD", path)];

    // A service cannot read the test of a sign-in.
    expect(got.status).toBe(endpoint.operation === "getSignInTest" ? 403 : 200);
    expect(got.headers).toMatchObject({ "cache-control": "no-store" });
    expect(got.headers.etag).toBeUndefined();
    expect([head.status, head.headers.allow, head.text]).toEqual([405, "GET, OPTIONS", ""]);
  });
});

test.each(["/healthz", "/readyz", "/status", "/nowhere"])("%s is never cached", async (path) => {
  const { headers } = await as.nobody().get(path, { headers: { "if-none-match": "*" } });
  expect([headers["cache-control"], headers.etag]).toEqual(["no-store", undefined]);
});

test("operations that return keys or tokens are marked secret", () => {
  const secret = endpoints.filter((endpoint) => endpoint.secret).map(({ operation }) => operation);
  expect(secret.sort()).toEqual([
    "createHandOver",
    "createStaticToken",
    "getGuestCode",
    "getGuestToken",
    "getIssuance",
    "getJobResults",
    "getSignInTest",
  ]);
});
