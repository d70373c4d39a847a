import { beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock, type Clock } from "../../../cli/context/clock.ts";
import { freePort } from "../../support/run/services.ts";
import { useApi } from "../../support/service/api.ts";
import { useCliRealm } from "../../support/service/cli-realm.ts";
import { startReverseProxy, type ReverseProxy, type SeenRequest } from "../../support/run/reverse-proxy.ts";

const api = useApi();
const realm = useCliRealm(api);
let proxy: ReverseProxy;
/** The command's waits between its tries, in milliseconds; these tests record the waits and skip them. */
let waits: number[] = [];
const clock: Clock = {
  ...systemClock,
  wait(ms) {
    waits.push(ms);
    return Promise.resolve();
  },
};
const cli = (argv: string[], url = proxy.url) => realm.cli(argv, { env: { REALMPASS_URL: url }, clock });
const isApi = ({ path }: SeenRequest): boolean => path.startsWith("/api/");
const calls = (): SeenRequest[] => proxy.seen.filter(isApi);
/** Gives this outcome to the first `count` calls; the service answers the others. */
const first = (count: number, outcome: ReturnType<Parameters<ReverseProxy["decide"]>[0]>): void => {
  let left = count;
  proxy.decide((request) => (isApi(request) && left-- > 0 ? outcome : "pass"));
};

beforeAll(async () => {
  proxy = await startReverseProxy(() => api.url);
});
beforeEach(() => {
  waits = [];
});

test.each([429, 503])(
  "%i with Retry-After is retried with the Idempotency-Key of the first request",
  async (status) => {
    first(2, { status, headers: { "Retry-After": "7" } });
    const { code, err } = await cli(["guests", "create", `after ${status}`, "--expires", "2099-01-01"]);

    expect(code).toBe(0);
    expect(err.match(/trying again/g)).toHaveLength(2);
    expect(waits).toEqual([7_000, 7_000]);
    expect(calls()).toHaveLength(3);
    expect(calls()[0]?.headers["idempotency-key"]).toEqual(expect.any(String));
    expect(new Set(calls().map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  },
);

test.each([
  ["without Retry-After", {}],
  ["that asks for more patience than a command has", { "Retry-After": "3600" }],
  ["whose Retry-After is no number", { "Retry-After": "soon" }],
])("a 503 %s is an error without a retry", async (_name, headers) => {
  first(9, { status: 503, headers });
  const { code } = await cli(["guests", "list"]);
  expect(code).toBe(1);
  expect(calls()).toHaveLength(1);
  expect(waits).toEqual([]);
});

test("a service that stays busy causes an error after five tries", async () => {
  first(99, {
    status: 503,
    headers: { "Retry-After": "0" },
    body: '{"result":"error","error":"unavailable","error_description":"Later."}',
  });
  const { code, out } = await cli(["guests", "list", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ error: "unavailable", code: 503 });
  expect(calls()).toHaveLength(5);
});

test("if the connection breaks after the service has acted, the retry does not repeat the action", async () => {
  first(1, "lose-answer");
  const { code, out } = await cli(["guests", "create", "only once", "--expires", "2099-01-01", "--json"]);

  expect(code).toBe(0);
  expect(calls()).toHaveLength(2);
  const { out: listed } = await cli(["guests", "list", "--search", "only once", "--json"]);
  expect(JSON.parse(listed)).toEqual([JSON.parse(out)]);
});

test("each command has its own idempotency key", async () => {
  const keys = new Set<unknown>();
  for (let time = 0; time < 2; time += 1) {
    proxy.decide(() => "pass");
    await cli(["guests", "create", "twice", "--expires", "2099-01-01"]);
    keys.add(calls()[0]?.headers["idempotency-key"]);
  }
  expect(keys.size).toBe(2);
});

test("an expired token is replaced once, and a second refusal is an error", async () => {
  const refused = { status: 401, headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' } };
  first(1, refused);
  expect((await cli(["guests", "list"])).code).toBe(0);

  first(9, refused);
  expect((await cli(["guests", "list"])).code).toBe(4);
  expect(calls()).toHaveLength(2);
});

test("a response that another server sent in place of the service is reported as another server's", async () => {
  first(9, { status: 200, headers: { "Content-Type": "text/html" }, body: "<h1>Welcome to this hotel</h1>" });
  const { code, err } = await cli(["guests", "list"]);
  expect(code).toBe(1);
  expect(err).toContain("Is this the service's address?");

  first(9, { status: 502, body: "Bad gateway" });
  expect((await cli(["guests", "list"])).err).toContain("The service answered 502");
});

test("a hostile service's text does not control the terminal", async () => {
  const body = JSON.stringify({ error: "x", error_description: "\u001b]0;owned\u0007", request_id: "\u009b2J" });
  first(9, { status: 400, headers: { "Content-Type": "application/json" }, body });
  const { err, out } = await cli(["guests", "list", "--json"]);
  for (const shown of [err, out]) expect(shown).toContain("owned");
  for (const character of ["\u001b", "\u0007", "\u009b"]) expect(err + out).not.toContain(character);
});

test("an unreachable service is reported after a few retries", async () => {
  const { code, err } = await cli(["guests", "list"], `http://127.0.0.1:${await freePort()}`);
  expect(code).toBe(1);
  expect(err.match(/cannot be reached: [^]*?Trying again in/g)).toHaveLength(4);
  expect(err).toMatch(/cannot be reached: .*ECONNREFUSED.*\.\n$/);
  expect(waits).toEqual([500, 1_000, 2_000, 4_000]);
});

test("if the token does not allow reading a profile's output, the command fails without polling the issuance again", async () => {
  const user = await realm.user();
  const issuance = { id: "018f2f60-0000-7000-8000-000000000000", state: "queued", error: null, profile: null };
  const answer = (code: number, data: object) => ({
    status: code,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ result: "ok", code, data }),
  });
  proxy.decide(({ method, path }) => {
    if (path.startsWith("/api/issuances/")) return answer(200, { ...issuance, state: "issued" });
    if (method !== "POST" || !path.includes("/profiles/")) return "pass";
    return answer(202, issuance);
  });
  const { code, out } = await cli([
    "profiles",
    "create",
    user.id,
    "laptop",
    "--device-type",
    "Linux",
    "--out",
    "never.p12",
    "--json",
  ]);

  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ error: "insufficient_scope" });
  expect(calls().filter(({ path }) => path.startsWith("/api/issuances/"))).toHaveLength(1);
});
